"""Sums of the rows of a matrix, a row a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1024, "length": 1000}
SMALL = {"n": 100, "length": 30}


def make(rng, n, length):
    arrays = {"a": rng.random((n, length), np.float32), "sums": np.zeros(n, np.float32)}
    launch = Launch("rowsums", (np.uint32(n), np.uint32(length), *arrays), (n,))
    return Problem(arrays, [launch], ("sums",))


def answer(problem):
    return {"sums": problem.arrays["a"].sum(1, dtype=np.float64).astype(np.float32)}
