"""Columns of an image smoothed by a recursive filter, down and up: a column a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 1024, "height": 256}
SMALL = {"width": 70, "height": 20}


def make(rng, width, height):
    arrays = {
        "x": rng.random((height, width), np.float32),
        "y": np.zeros((height, width), np.float32),
    }
    launch = Launch("deriche", (np.uint32(width), np.uint32(height), *arrays), (width,))
    return Problem(arrays, [launch], ("y",), rtol=1e-3, atol=1e-4)


def answer(problem):
    x = problem.arrays["x"].astype(np.float64)
    y = np.zeros_like(x)
    near, far, left = np.zeros((3, x.shape[1]))
    for row in range(len(x)):
        near, far = 0.2 * x[row] - 0.1 * left + 1.2 * near - 0.4 * far, near
        left = x[row]
        y[row] = near
    near, far, one, two = np.zeros((4, x.shape[1]))
    for row in range(len(x) - 1, -1, -1):
        near, far = 0.15 * one - 0.05 * two + 1.2 * near - 0.4 * far, near
        one, two = x[row], one
        y[row] += near
    return {"y": y.astype(np.float32)}
