"""Sums along the rows of an image, a row a work-item: the first pass of an integral image."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 1024}
SMALL = {"size": 40}


def make(rng, size):
    arrays = {
        "image": rng.random((size, size), np.float32),
        "sums": np.zeros((size, size), np.float32),
    }
    launch = Launch("rowscan", (np.int32(size), *arrays), (size,), (64,))
    return Problem(arrays, [launch], ("sums",), rtol=1e-3, atol=1e-4)


def answer(problem):
    sums = problem.arrays["image"].cumsum(axis=1, dtype=np.float64)
    return {"sums": sums.astype(np.float32)}
