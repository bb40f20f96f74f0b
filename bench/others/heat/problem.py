"""A step of heat in three dimensions: seven points, columns of tiles of 32 x 8, planes kept."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 128, "planes": 32}
SMALL = {"n": 32, "planes": 3}


def make(rng, n, planes):
    """Grids have a border of one number, which stays as it is."""
    x = rng.random((planes + 2, n + 2, n + 2), np.float32)
    arrays = {"x": x, "y": x.copy()}
    numbers = np.uint32(n), np.uint32(planes), np.float32(0.1)
    return Problem(arrays, [Launch("heat", (*numbers, "x", "y"), (n, n), (32, 8))], ("y",))


def answer(problem):
    x, y = problem.arrays["x"], problem.arrays["x"].copy()
    core = x[1:-1, 1:-1, 1:-1]
    near = x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:] + x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1]
    near = near + x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1]
    y[1:-1, 1:-1, 1:-1] = core + np.float32(0.1) * (near - np.float32(6) * core)
    return {"y": y}
