"""Charges of particles onto a grid: four weighted cells a particle, as fixed-point atomic sums."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18, "side": 256}
SMALL = {"n": 500, "side": 16}


def make(rng, n, side):
    arrays = {
        "x": (rng.random(n) * (side - 2)).astype(np.float32),
        "y": (rng.random(n) * (side - 2)).astype(np.float32),
        "grid": np.zeros((side, side), np.uint32),
    }
    launch = Launch("pic", (np.uint32(n), np.uint32(side), *arrays), (n,))
    return Problem(arrays, [launch], ("grid",))


def answer(problem):
    a = problem.arrays
    i, j = a["x"].astype(np.uint32), a["y"].astype(np.uint32)
    u, v = a["x"] - i.astype(np.float32), a["y"] - j.astype(np.float32)
    grid = np.zeros_like(a["grid"])
    one = np.float32(1)
    for dy, wy in ((0, one - v), (1, v)):
        for dx, wx in ((0, one - u), (1, u)):
            weight = (wx * wy * np.float32(4096)).astype(np.uint32)
            np.add.at(grid, (j + dy, i + dx), weight)
    return {"grid": grid}
