"""A matrix in columns times a vector, a row a work-item (BLAS sgemv)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1024}
SMALL = {"n": 64}


def make(rng, n):
    arrays = {
        "a": rng.random((n, n), np.float32),
        "x": rng.random(n, np.float32),
        "y": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("gemvcol", (np.uint32(n), *arrays), (n,))], ("y",), rtol=1e-4)


def answer(problem):
    a = problem.arrays
    return {"y": (a["x"].astype(np.float64) @ a["a"]).astype(np.float32)}
