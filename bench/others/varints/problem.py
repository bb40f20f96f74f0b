"""Sums of numbers of variable length (seven bits a byte), a string of them a work-item."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "most": 64}
SMALL = {"n": 150, "most": 8}


def make(rng, n, most):
    strings = []
    for length in rng.integers(1, most, n):
        numbers = rng.integers(0, 1 << rng.choice((7, 14, 21), length)).tolist()
        string = bytearray()
        for number in numbers:
            while number >= 128:
                string.append(number & 127 | 128)
                number >>= 7
            string.append(number)
        strings.append(bytes(string))
    arrays = {
        "start": np.append(0, np.cumsum([len(s) for s in strings])).astype(np.uint32),
        "coded": np.frombuffer(b"".join(strings), np.uint8),
        "sum": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("varints", (np.uint32(n), *arrays), (n,))], ("sum",))


def answer(problem):
    start, coded = problem.arrays["start"].tolist(), problem.arrays["coded"].tobytes()
    totals = [_sum(coded[i:j]) & 0xFFFFFFFF for i, j in pairwise(start)]
    return {"sum": np.array(totals, np.uint32)}


def _sum(string):
    total = shift = 0
    for byte in string:
        total += (byte & 127) << shift
        shift = shift + 7 if byte >= 128 else 0
    return total
