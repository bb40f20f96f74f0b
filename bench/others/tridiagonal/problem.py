"""Tridiagonal systems of 32 unknowns, one a work-item: Thomas's algorithm in private arrays."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 70}
ROWS = 32


def make(rng, n):
    arrays = {
        "below": rng.random((ROWS, n), np.float32) - 0.5,
        "middle": rng.random((ROWS, n), np.float32) + 2,
        "above": rng.random((ROWS, n), np.float32) - 0.5,
        "right": rng.standard_normal((ROWS, n), np.float32),
        "x": np.zeros((ROWS, n), np.float32),
    }
    launch = Launch("tridiagonal", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("x",), rtol=1e-3, atol=1e-4)


def answer(problem):
    below, middle, above, right = (
        problem.arrays[name].astype(np.float64) for name in ("below", "middle", "above", "right")
    )
    c, d = np.zeros_like(middle), np.zeros_like(middle)
    c[0], d[0] = above[0] / middle[0], right[0] / middle[0]
    for k in range(1, ROWS):
        pivot = middle[k] - below[k] * c[k - 1]
        c[k], d[k] = above[k] / pivot, (right[k] - below[k] * d[k - 1]) / pivot
    for k in range(ROWS - 2, -1, -1):
        d[k] -= c[k] * d[k + 1]
    return {"x": d.astype(np.float32)}
