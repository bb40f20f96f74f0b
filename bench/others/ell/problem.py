"""A sparse matrix in ELL format times a vector: entries column by column, padded with zeros."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "width": 16}
SMALL = {"n": 300, "width": 8}


def make(rng, n, width):
    value = rng.random((width, n), np.float32)
    value[np.arange(width)[:, None] >= rng.integers(width // 2, width + 1, n)] = 0
    arrays = {
        "col": rng.integers(0, n, (width, n), np.uint32),
        "value": value,
        "x": rng.random(n, np.float32),
        "y": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("ell", (np.uint32(n), np.uint32(width), *arrays), (n,))], ("y",))


def answer(problem):
    a = problem.arrays
    products = a["value"].astype(np.float64) * a["x"][a["col"]]
    return {"y": products.sum(0).astype(np.float32)}
