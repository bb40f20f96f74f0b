"""A matrix of bytes times a vector of bytes, a row a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4096, "length": 512}
SMALL = {"n": 100, "length": 30}


def make(rng, n, length):
    arrays = {
        "a": rng.integers(0, 256, (n, length), np.uint8),
        "x": rng.integers(0, 256, length, np.uint8),
        "y": np.zeros(n, np.uint32),
    }
    launch = Launch("bytesmv", (np.uint32(n), np.uint32(length), *arrays), (n,))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    a = problem.arrays
    return {"y": a["a"].astype(np.uint32) @ a["x"].astype(np.uint32)}
