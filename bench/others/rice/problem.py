"""Residuals in Rice's code, with a parameter that adapts: a stream of bits a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12, "length": 64}
SMALL = {"n": 40, "length": 12}


def make(rng, n, length):
    scale = rng.choice((4, 20, 100), n)
    numbers = np.floor(rng.exponential(scale[:, None], (n, length))).astype(np.int64)
    streams = [_coded(row) for row in numbers.tolist()]
    sizes = [len(stream) for stream in streams]
    bits = np.frombuffer("".join(streams).encode(), np.uint8) - 48
    bits = np.append(bits, np.zeros(-bits.size % 32 + 64, np.uint8)).astype(np.uint32)
    arrays = {
        "start": np.append(0, np.cumsum(sizes)[:-1]).astype(np.uint32),
        "words": (bits.reshape(-1, 32) << np.arange(32, dtype=np.uint32)).sum(1, np.uint32),
        "value": np.zeros((length, n), np.int32),
    }
    scalars = np.uint32(n), np.uint32(length)
    return Problem(arrays, [Launch("rice", (*scalars, *arrays), (n,), (64,))], ("value",))


def _coded(numbers):
    text, mean = [], 16
    for number in numbers:
        low = (mean >> 4).bit_length()
        text.append("1" * (number >> low) + "0")
        text.extend("1" if number >> k & 1 else "0" for k in range(low))
        mean = mean - (mean >> 4) + number
    return "".join(text)


def answer(problem):
    start, words = problem.arrays["start"].tolist(), problem.arrays["words"]
    bits = (words[:, None] >> np.arange(32, dtype=np.uint32) & 1).ravel().tolist()
    rows = [_decoded(bits, at, problem.sizes.length) for at in start]
    return {"value": np.array(rows, np.int32).T.copy()}


def _decoded(bits, at, length):
    row, mean = [], 16
    for _ in range(length):
        low, number = (mean >> 4).bit_length(), 0
        while bits[at]:
            number += 1
            at += 1
        at += 1
        number <<= low
        for k in range(low):
            number |= bits[at + k] << k
        at += low
        mean = mean - (mean >> 4) + number
        row.append(number >> 1 ^ -(number & 1))
    return row
