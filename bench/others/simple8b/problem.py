"""Numbers packed as in Simple8b: a word's highest four bits say how many of which width it has."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 5000}
SMALL = {"n": 60}
WIDTHS = np.array([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30])


def make(rng, n):
    words = rng.integers(0, 1 << 60, n, np.uint64)
    kind = rng.integers(0, 13, n, np.uint64)
    counts = 60 // WIDTHS[kind]
    to = np.append(0, np.cumsum(counts))
    arrays = {
        "words": words | kind << np.uint64(60),
        "to": to[:-1].astype(np.uint32),
        "values": np.zeros(to[-1], np.uint32),
    }
    return Problem(arrays, [Launch("simple8b", (np.uint32(n), *arrays), (n,))], ("values",))


def answer(problem):
    found = []
    for word in problem.arrays["words"].tolist():
        width = int(WIDTHS[word >> 60])
        found += [word >> k * width & (1 << width) - 1 for k in range(60 // width)]
    return {"values": np.array(found, np.uint32)}
