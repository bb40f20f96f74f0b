"""The least of a cross of nine bytes around each pixel, in workgroups of 16 x 12."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 720, "height": 480}
SMALL = {"width": 40, "height": 13}


def make(rng, width, height):
    arrays = {
        "x": rng.integers(0, 256, (height, width), np.uint8),
        "y": np.zeros((height, width), np.uint8),
    }
    scalars = (np.uint32(width), np.uint32(height))
    launch = Launch("erode", (*scalars, *arrays), (width, height), (16, 12))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    x = problem.arrays["x"]
    padded = np.pad(x, 2, mode="edge")
    least = x
    for k in range(-2, 3):
        least = np.minimum(least, padded[2 + k : 2 + k + x.shape[0], 2:-2])
        least = np.minimum(least, padded[2:-2, 2 + k : 2 + k + x.shape[1]])
    return {"y": least}
