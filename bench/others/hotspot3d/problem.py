"""Rodinia's hotspot3D: seven points, work-items of groups of 64 x 4 walk down the layers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"nx": 256, "ny": 256, "nz": 8}
SMALL = {"nx": 64, "ny": 8, "nz": 3}
PARTS = np.array([0.52, 0.1, 0.1, 0.04, 0.3], np.float32)
"""Of the cell, its neighbours in a row, a column and a stack, and of the power."""


def make(rng, nx, ny, nz):
    shape = nz, ny, nx
    arrays = {
        "power": rng.random(shape, np.float32),
        "t": rng.random(shape, np.float32),
        "next": np.zeros(shape, np.float32),
    }
    numbers = *map(np.uint32, (nx, ny, nz)), *PARTS
    launch = Launch("hotspot3d", (*numbers, *arrays), (nx, ny), (64, 4))
    return Problem(arrays, [launch], ("next",))


def answer(problem):
    t, power = (problem.arrays[name].astype(np.float64) for name in ("t", "power"))
    cell, *parts, step = PARTS.astype(np.float64)
    total = cell * t + step * power
    around = np.pad(t, 1, mode="edge")
    for axis, part in zip((2, 1, 0), parts, strict=True):
        for shift in (0, 2):
            near = [slice(1, -1)] * 3
            near[axis] = slice(shift, shift + t.shape[axis])
            total = total + part * around[tuple(near)]
    return {"next": total.astype(np.float32)}
