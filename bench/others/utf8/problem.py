"""Whether strings are UTF-8, a string a work-item: bytes, and a loop left early."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "longest": 96}
SMALL = {"n": 150, "longest": 16}


def make(rng, n, longest):
    letters = ("a", "b", " ", "\u00e4", "\u03b1", "\u20ac", "\U0001f600")
    strings = []
    for length in rng.integers(1, longest // 2, n):
        one = bytearray(
            "".join(rng.choice(letters, length, p=(0.4, 0.2, 0.2) + (0.05,) * 4)).encode()
        )
        if rng.random() < 0.2:
            one[rng.integers(len(one))] = rng.integers(128, 256)
        strings.append(bytes(one))
    arrays = {
        "start": np.append(0, np.cumsum([len(s) for s in strings])).astype(np.uint32),
        "text": np.frombuffer(b"".join(strings), np.uint8),
        "valid": np.full(n, 2, np.uint32),
    }
    return Problem(arrays, [Launch("utf8", (np.uint32(n), *arrays), (n,))], ("valid",))


def answer(problem):
    start, text = problem.arrays["start"].tolist(), problem.arrays["text"].tobytes()
    return {"valid": np.array([_is_valid(text[i:j]) for i, j in pairwise(start)], np.uint32)}


def _is_valid(string):
    """Lead bytes and continuation bytes only: neither overlong forms nor surrogates count."""
    left = 0
    for byte in string:
        if left:
            if byte & 0xC0 != 0x80:
                return False
            left -= 1
        elif byte >= 0x80:
            if byte & 0xE0 == 0xC0:
                left = 1
            elif byte & 0xF0 == 0xE0:
                left = 2
            elif byte & 0xF8 == 0xF0:
                left = 3
            else:
                return False
    return left == 0
