"""Sums of numbers of variable length (seven bits a byte), a string of them a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "most": 64}
SMALL = {"n": 150, "most": 8}


def make(rng, n, most):
    strings, totals = [], []
    for length in rng.integers(1, most, n):
        numbers = rng.integers(0, 1 << rng.choice((7, 14, 21), length)).tolist()
        totals.append(sum(numbers) & 0xFFFFFFFF)
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
    problem = Problem(arrays, [Launch("varints", (np.uint32(n), *arrays), (n,))], ("sum",))
    problem.totals = np.array(totals, np.uint32)
    return problem


def answer(problem):
    return {"sum": problem.totals}
