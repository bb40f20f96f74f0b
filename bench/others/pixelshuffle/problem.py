"""Channels become space: four channels of an image are one of twice its width and height."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 200, "height": 200, "channels": 3}
SMALL = {"width": 10, "height": 6, "channels": 2}


def make(rng, width, height, channels):
    arrays = {
        "x": rng.random((channels, 2, 2, height // 2, width // 2), np.float32),
        "y": np.zeros((channels, height, width), np.float32),
    }
    sizes = np.uint32(width), np.uint32(height), np.uint32(channels)
    launch = Launch("pixelshuffle", (*sizes, *arrays), (width, height, channels), (32, 4, 1))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    x, y = problem.arrays.values()
    return {"y": x.transpose(0, 3, 1, 4, 2).reshape(y.shape)}
