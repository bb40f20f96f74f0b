"""PolyBench's syrk, an element a work-item: C = alpha A A^T + beta C, so both factors walk rows."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 160, "depth": 128}
SMALL = {"rows": 20, "depth": 9}
ALPHA, BETA = np.float32(1.5), np.float32(0.5)


def make(rng, rows, depth):
    arrays = {"a": rng.random((rows, depth), np.float32), "c": rng.random((rows, rows), np.float32)}
    numbers = np.uint32(rows), np.uint32(depth), ALPHA, BETA
    launch = Launch("syrk", (*numbers, *arrays), (rows, rows), (32, 8))
    return Problem(arrays, [launch], ("c",), rtol=1e-4)


def answer(problem):
    a, c = (problem.arrays[name].astype(np.float64) for name in "ac")
    return {"c": (ALPHA * (a @ a.T) + BETA * c).astype(np.float32)}
