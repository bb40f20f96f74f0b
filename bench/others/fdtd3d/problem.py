"""25 points in three dimensions by tiles of 32 x 8 that walk through planes: CUDA's FDTD3d."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 128, "planes": 32}
SMALL = {"n": 32, "planes": 2}
RADIUS = 4
WEIGHTS = np.array([0.4, 0.05, 0.03, 0.015, 0.005], np.float32)


def make(rng, n, planes):
    """Grids have a border of four numbers, which stays as it is."""
    x = rng.random((planes + 2 * RADIUS,) + (n + 2 * RADIUS,) * 2, np.float32)
    arrays = {"weight": WEIGHTS, "x": x, "y": x.copy()}
    numbers = np.uint32(n), np.uint32(planes)
    launch = Launch("fdtd3d", (*numbers, *arrays), (n, n), (32, 8))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    x, y = problem.arrays["x"].astype(np.float64), problem.arrays["x"].copy()
    core = (slice(RADIUS, -RADIUS),) * 3
    total = WEIGHTS[0] * x[core]
    for r in range(1, RADIUS + 1):
        for axis in range(3):
            near = np.roll(x, r, axis) + np.roll(x, -r, axis)
            total = total + WEIGHTS[r] * near[core]
    y[core] = total
    return {"y": y}
