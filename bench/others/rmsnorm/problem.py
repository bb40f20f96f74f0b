"""RMS normalisation of rows with gains: a row a workgroup of 64, with a tree."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 800, "columns": 500}
SMALL = {"rows": 5, "columns": 100}


def make(rng, rows, columns):
    arrays = {
        "x": rng.normal(0, 1, (rows, columns)).astype(np.float32),
        "gain": rng.random(columns, np.float32),
        "y": np.zeros((rows, columns), np.float32),
    }
    numbers = np.uint32(rows), np.uint32(columns)
    launch = Launch("rmsnorm", (*numbers, *arrays), (rows * 64,), (64,))
    return Problem(arrays, [launch], ("y",), rtol=1e-4, atol=1e-5)


def answer(problem):
    x, gain, _ = problem.arrays.values()
    square = (x.astype(np.float64) ** 2).mean(1, keepdims=True)
    return {"y": (x / np.sqrt(square + 1e-6) * gain).astype(np.float32)}
