"""Marching squares: the case of each cell of a grid, and how many lines a table has for it."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 1024, "height": 512}
SMALL = {"width": 40, "height": 16}
LINES = np.array([0, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 0], np.uint32)


def make(rng, width, height):
    arrays = {
        "field": rng.random((height, width), np.float32),
        "table": LINES,
        "lines": np.zeros((height, width), np.uint32),
        "total": np.zeros(1, np.uint32),
    }
    numbers = (np.uint32(width), np.uint32(height), np.float32(0.7))
    launch = Launch("marching", (*numbers, *arrays), (width, height), (16, 16))
    return Problem(arrays, [launch], ("lines", "total"))


def answer(problem):
    a = problem.arrays["field"] > np.float32(0.7)
    case = a[:-1, :-1] + 2 * a[:-1, 1:] + 4 * a[1:, 1:] + 8 * a[1:, :-1]
    lines = np.zeros(a.shape, np.uint32)
    lines[:-1, :-1] = LINES[case]
    return {"lines": lines, "total": lines.sum(keepdims=True, dtype=np.uint32).reshape(1)}
