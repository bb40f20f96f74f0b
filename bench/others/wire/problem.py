"""Messages as Protocol Buffers have them: numbers, words and strings by tags, one a work-item."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "most": 40}
SMALL = {"n": 60, "most": 8}
NUMBER, DOUBLE, STRING, WORD = 0, 1, 2, 5


def make(rng, n, most):
    messages = []
    for count in rng.integers(0, most, n).tolist():
        message = bytearray()
        kinds = rng.choice((NUMBER, NUMBER, NUMBER, DOUBLE, STRING, WORD), count).tolist()
        numbers = rng.integers(0, 1 << rng.integers(1, 32, count)).tolist()
        for kind, number in zip(kinds, numbers, strict=True):
            message.append(kind | number % 15 << 3)
            if kind == NUMBER:
                message += _varint(number)
            elif kind == STRING:
                message += _varint(number % 150) + bytes(number % 150)
            else:
                message += rng.bytes(4 if kind == WORD else 8)
        messages.append(bytes(message))
    arrays = {
        "start": np.append(0, np.cumsum([len(m) for m in messages])).astype(np.uint32),
        "coded": np.frombuffer(b"".join(messages), np.uint8),
        "total": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("wire", (np.uint32(n), *arrays), (n,), (64,))], ("total",))


def _varint(number):
    string = bytearray()
    while number >= 128:
        string.append(number & 127 | 128)
        number >>= 7
    string.append(number)
    return string


def answer(problem):
    start, coded = problem.arrays["start"].tolist(), problem.arrays["coded"].tobytes()
    totals = [_total(coded[i:j]) & 0xFFFFFFFF for i, j in pairwise(start)]
    return {"total": np.array(totals, np.uint32)}


def _total(message):
    total = at = 0
    while at < len(message):
        kind, field = message[at] & 7, message[at] >> 3
        at += 1
        if kind in (NUMBER, STRING):
            number = shift = 0
            while True:
                byte = message[at]
                at += 1
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            if kind == STRING:
                at += number
                total += number
            else:
                total += number * (field + 1)
        else:
            total += int.from_bytes(message[at : at + 4], "little") ^ field
            at += 4 if kind == WORD else 8
    return total
