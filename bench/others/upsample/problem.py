"""An image of twice the size by the nearest pixels, channels last, by flat numbers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"channels": 24, "width": 112, "height": 112}
SMALL = {"channels": 20, "width": 12, "height": 6}


def make(rng, channels, width, height):
    arrays = {
        "x": rng.random((height // 2, width // 2, channels), np.float32),
        "y": np.zeros((height, width, channels), np.float32),
    }
    sizes = np.uint32(channels), np.uint32(width), np.uint32(height)
    launch = Launch("upsample", (*sizes, *arrays), (channels * width * height,))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    return {"y": problem.arrays["x"].repeat(2, 0).repeat(2, 1)}
