"""A matrix and its transpose times a vector each, summed in memory (MVT of PolyBench)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1001}
SMALL = {"n": 40}


def make(rng, n):
    arrays = {"a": rng.random((n, n), np.float32)}
    arrays |= {name: rng.random(n, np.float32) for name in ("y1", "y2", "x1", "x2")}
    launches = [
        Launch("by_rows", (np.uint32(n), "a", "y1", "x1"), (n,)),
        Launch("by_columns", (np.uint32(n), "a", "y2", "x2"), (n,)),
    ]
    return Problem(arrays, launches, ("x1", "x2"), rtol=1e-4)


def answer(problem):
    a, y1, y2, x1, x2 = (array.astype(np.float64) for array in problem.arrays.values())
    return {"x1": (x1 + a @ y1).astype(np.float32), "x2": (x2 + y2 @ a).astype(np.float32)}
