"""The upper factor of 6 x 6 matrices by Givens rotations, f64, a matrix a work-item."""

import numpy as np
from peers.problem import Launch, Problem

SIDE = 6
FULL = {"n": 8000}
SMALL = {"n": 50}


def make(rng, n):
    arrays = {"a": rng.uniform(-1, 1, (SIDE, SIDE, n))}
    launch = Launch("givens", (np.uint32(n), "a"), (n,))
    return Problem(arrays, [launch], ("a",), rtol=1e-7, atol=1e-9)


def answer(problem):
    a = problem.arrays["a"].copy()
    for column in range(SIDE):
        for row in range(column + 1, SIDE):
            x, y = a[column, column].copy(), a[row, column].copy()
            size = np.sqrt(x * x + y * y)
            c, s = x / size, y / size
            top, low = a[column].copy(), a[row].copy()
            a[column], a[row] = c * top + s * low, c * low - s * top
    return {"a": a}


def wrong(got, expected, problem):
    """What is turned to zero is only near it."""
    return ~np.isclose(got, expected, 1e-7, 1e-9)
