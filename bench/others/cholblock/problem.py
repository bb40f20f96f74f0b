"""Cholesky factors of blocks of 16 x 16 in group memory, an element a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 10}
SMALL = {"n": 3}
SIDE = 16


def make(rng, n):
    half = rng.random((n, SIDE, SIDE)) - 0.5
    a = half @ half.transpose(0, 2, 1) + np.eye(SIDE)
    arrays = {"a": a.astype(np.float32), "factor": np.zeros((n, SIDE, SIDE), np.float32)}
    launch = Launch("cholblock", (np.uint32(n), *arrays), (n * SIDE, SIDE), (SIDE, SIDE))
    return Problem(arrays, [launch], ("factor",), rtol=1e-4, atol=1e-5)


def answer(problem):
    return {"factor": np.linalg.cholesky(problem.arrays["a"].astype(np.float64)).astype(np.float32)}
