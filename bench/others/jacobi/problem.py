"""Jacobi's iteration on a grid: five points, tiles of 32 x 8 with a halo in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 256, "steps": 16}
SMALL = {"n": 32, "steps": 2}


def make(rng, n, steps):
    """Grids have a border of one number, which stays as it is."""
    x = rng.random((n + 2, n + 2), np.float32)
    arrays = {"x": x, "y": x.copy()}
    names = ["xy", "yx"] * (steps // 2)
    launches = [Launch("jacobi", (np.uint32(n), *pair), (n, n), (32, 8)) for pair in names]
    return Problem(arrays, launches, ("x", "y"))


def answer(problem):
    x, y = problem.arrays["x"].copy(), problem.arrays["y"].copy()
    for _ in range(problem.sizes.steps):
        near = x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1]
        y[1:-1, 1:-1] = np.float32(0.2) * (near + x[1:-1, 1:-1])
        x, y = y, x
    return {"x": x, "y": y}
