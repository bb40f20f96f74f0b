"""PolyBench's fdtd-2d: three launches a step on planes that fit into the caches."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 400, "height": 300, "steps": 8}
SMALL = {"width": 35, "height": 7, "steps": 2}


def make(rng, width, height, steps):
    arrays = {name: rng.random((height, width), np.float32) for name in ("ex", "ey", "hz")}
    arrays["source"] = np.arange(steps, dtype=np.float32)
    size, items = (np.uint32(width), np.uint32(height)), (width, height)
    launches = []
    for step in range(steps):
        launches += [
            Launch("fdtd_ey", (*size, np.uint32(step), "source", "ey", "hz"), items, (32, 8)),
            Launch("fdtd_ex", (*size, "ex", "hz"), items, (32, 8)),
            Launch("fdtd_hz", (*size, "ex", "ey", "hz"), items, (32, 8)),
        ]
    return Problem(arrays, launches, ("ex", "ey", "hz"), rtol=1e-4)


def answer(problem):
    ex, ey, hz = (problem.arrays[name].copy() for name in ("ex", "ey", "hz"))
    half, part = np.float32(0.5), np.float32(0.7)
    for step in range(problem.sizes.steps):
        ey[1:] -= half * (hz[1:] - hz[:-1])
        ey[0] = step
        ex[:, 1:] -= half * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= part * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}
