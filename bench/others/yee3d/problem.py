"""Yee's method for Maxwell's equations in three dimensions: a launch for each of the two fields."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"side": 48, "steps": 2}
SMALL = {"side": 8, "steps": 1}


def make(rng, side, steps):
    arrays = {
        name: rng.standard_normal((side, side, side)).astype(np.float32)
        for name in ("ex", "ey", "ez", "hx", "hy", "hz")
    }
    shape = (side, side, side), (16, 4, 4)
    launches = [
        Launch("magnetic", (np.uint32(side), *arrays), *shape),
        Launch("electric", (np.uint32(side), *arrays), *shape),
    ]
    return Problem(arrays, launches * steps, tuple(arrays), rtol=1e-4, atol=1e-4)


def answer(problem):
    ex, ey, ez, hx, hy, hz = (x.astype(np.float64) for x in problem.arrays.values())
    low, high = slice(0, -1), slice(1, None)
    for _ in range(problem.sizes.steps):
        hx[low, low] += 0.5 * (np.diff(ey, axis=0)[:, low] - np.diff(ez, axis=1)[low])
        hy[low, :, low] += 0.5 * (np.diff(ez, axis=2)[low] - np.diff(ex, axis=0)[..., low])
        hz[:, low, low] += 0.5 * (np.diff(ex, axis=1)[..., low] - np.diff(ey, axis=2)[:, low])
        ex[high, high] += 0.5 * (np.diff(hz, axis=1)[high] - np.diff(hy, axis=0)[:, high])
        ey[high, :, high] += 0.5 * (np.diff(hx, axis=0)[..., high] - np.diff(hz, axis=2)[high])
        ez[:, high, high] += 0.5 * (np.diff(hy, axis=2)[:, high] - np.diff(hx, axis=1)[..., high])
    fields = ex, ey, ez, hx, hy, hz
    return {n: x.astype(np.float32) for n, x in zip(problem.arrays, fields, strict=True)}
