"""A depthwise convolution of 3 x 3, channels last, with a bias and a clamp, by flat numbers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"channels": 40, "width": 112, "height": 112}
SMALL = {"channels": 5, "width": 11, "height": 7}


def make(rng, channels, width, height):
    def floats(*shape):
        return rng.uniform(-1, 1, shape).astype(np.float32)

    arrays = {
        "x": floats(height, width, channels) * np.float32(4),
        "weight": floats(3, 3, channels),
        "bias": floats(channels),
        "y": np.zeros((height, width, channels), np.float32),
    }
    sizes = np.uint32(channels), np.uint32(width), np.uint32(height)
    launch = Launch("depthwise", (*sizes, *arrays), (channels * width * height,))
    return Problem(arrays, [launch], ("y",), atol=1e-4)


def answer(problem):
    a = problem.arrays
    height, width, _ = a["x"].shape
    padded = np.pad(a["x"], ((1, 1), (1, 1), (0, 0)))
    y = a["bias"] + sum(
        padded[i : i + height, j : j + width] * a["weight"][i, j]
        for i in range(3)
        for j in range(3)
    )
    return {"y": y.clip(0, 6)}
