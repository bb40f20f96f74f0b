"""PolyBench's covariance: a column a work-item, its products with all later columns."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"columns": 192, "rows": 128}
SMALL = {"columns": 37, "rows": 6}


def make(rng, columns, rows):
    data = rng.random((rows, columns), np.float32)
    arrays = {"data": data - data.mean(axis=0), "c": np.zeros((columns, columns), np.float32)}
    launch = Launch("covariance", (np.uint32(columns), np.uint32(rows), *arrays), (columns,), (64,))
    return Problem(arrays, [launch], ("c",), rtol=1e-3, atol=1e-4)


def answer(problem):
    data = problem.arrays["data"].astype(np.float64)
    return {"c": (data.T @ data / (problem.sizes.rows - 1)).astype(np.float32)}
