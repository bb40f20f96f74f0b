"""Softmax down columns, a column a work-item: maximum, sum of exponentials, quotient."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 64, "columns": 4096}
SMALL = {"rows": 9, "columns": 70}


def make(rng, rows, columns):
    arrays = {
        "x": rng.normal(0, 3, (rows, columns)).astype(np.float32),
        "y": np.zeros((rows, columns), np.float32),
    }
    launch = Launch("softmax", (np.uint32(rows), np.uint32(columns), *arrays), (columns,))
    return Problem(arrays, [launch], ("y",), rtol=1e-4, atol=1e-6)


def answer(problem):
    x = problem.arrays["x"].astype(np.float64)
    power = np.exp(x - x.max(axis=0))
    return {"y": (power / power.sum(axis=0)).astype(np.float32)}
