"""Seven points in three dimensions: groups of 8 x 8 x 4, tiles of 10 x 10 x 6 by flat strides."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 64}
SMALL = {"n": 8}


def make(rng, n):
    """`x` has a border of one number."""
    x = rng.random((n + 2, n + 2, n + 2), np.float32)
    arrays = {"x": x, "y": np.zeros((n, n, n), np.float32)}
    return Problem(
        arrays, [Launch("tiles3d", (np.uint32(n), "x", "y"), (n, n, n), (8, 8, 4))], ("y",)
    )


def answer(problem):
    x = problem.arrays["x"]
    near = x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:] + x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1]
    near = near + x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1]
    return {"y": near - np.float32(6) * x[1:-1, 1:-1, 1:-1]}
