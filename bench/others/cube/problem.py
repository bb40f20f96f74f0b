"""A step of heat in three dimensions from all 26 neighbours, without tiles; the borders stay."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 66}
SMALL = {"n": 10}
PARTS = np.array([0.4, 0.05, 0.02, 0.0075], np.float32)
"""Of the cell, its neighbours by a face, by an edge and by a corner."""


def make(rng, n):
    arrays = {"now": rng.random((n, n, n), np.float32), "next": np.zeros((n, n, n), np.float32)}
    launch = Launch("cube", (np.uint32(n), *PARTS, *arrays), (n, n, n), (32, 4, 2))
    return Problem(arrays, [launch], ("next",))


def answer(problem):
    now, n = problem.arrays["now"].astype(np.float64), problem.sizes.n
    after, m = np.zeros((n, n, n), np.float32), n - 2
    after[1:-1, 1:-1, 1:-1] = sum(
        PARTS[abs(z - 1) + abs(y - 1) + abs(x - 1)] * now[z : z + m, y : y + m, x : x + m]
        for z in range(3)
        for y in range(3)
        for x in range(3)
    )
    return {"next": after}
