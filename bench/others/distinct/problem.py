"""How many different keys there are: all are put in a hash table by compare-and-swap."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17, "size": 1 << 16}
SMALL = {"n": 300, "size": 256}


def make(rng, n, size):
    arrays = {
        "key": rng.integers(0, size // 2, n, np.uint32) * np.uint32(77),
        "table": np.zeros(size, np.uint32),
        "count": np.zeros(1, np.uint32),
    }
    launches = [
        Launch("clear", (np.uint32(size), "table"), (size,)),
        Launch("distinct", (np.uint32(n), np.uint32(size - 1), *arrays), (n,)),
    ]
    return Problem(arrays, launches, ("count",))


def answer(problem):
    return {"count": np.array([len(np.unique(problem.arrays["key"]))], np.uint32)}
