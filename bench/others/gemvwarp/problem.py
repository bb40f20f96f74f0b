"""A dense matrix times a vector, 32 work-items a row."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 512, "columns": 1000, "times": 16}
SMALL = {"rows": 32, "columns": 300, "times": 1}


def make(rng, rows, columns, times):
    arrays = {
        "a": rng.random((rows, columns), np.float32),
        "x": rng.random(columns, np.float32),
        "y": np.zeros(rows, np.float32),
    }
    numbers = np.uint32(rows), np.uint32(columns)
    launch = Launch("gemvwarp", (*numbers, *arrays), (rows * 32,))
    return Problem(arrays, [launch] * times, ("y",))


def answer(problem):
    a = problem.arrays
    return {"y": (a["a"].astype(np.float64) @ a["x"]).astype(np.float32)}
