"""Binary searches in a sorted array."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "size": 1 << 18}
SMALL = {"n": 300, "size": 1000}


def make(rng, n, size):
    arrays = {
        "sorted": np.sort(rng.integers(0, 1 << 30, size, np.uint32)),
        "key": rng.integers(0, 1 << 30, n, np.uint32),
        "place": np.zeros(n, np.uint32),
    }
    launch = Launch("lowerbound", (np.uint32(n), np.uint32(size), *arrays), (n,))
    return Problem(arrays, [launch], ("place",))


def answer(problem):
    a = problem.arrays
    return {"place": np.searchsorted(a["sorted"], a["key"]).astype(np.uint32)}
