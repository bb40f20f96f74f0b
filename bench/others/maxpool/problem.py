"""Maxima of 2 x 2 pixels by steps of two, over the channels of a grid of three dimensions."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 112, "channels": 16}
SMALL = {"size": 18, "channels": 2}


def make(rng, size, channels):
    arrays = {
        "image": rng.normal(size=(channels, size * 2, size * 2)).astype(np.float32),
        "largest": np.zeros((channels, size, size), np.float32),
    }
    numbers = np.uint32(size), np.uint32(channels)
    launch = Launch("maxpool", (*numbers, *arrays), (size, size, channels), (16, 16, 1))
    return Problem(arrays, [launch], ("largest",))


def answer(problem):
    image = problem.arrays["image"]
    channels, height, width = image.shape
    parts = image.reshape(channels, height // 2, 2, width // 2, 2)
    return {"largest": parts.max(axis=(2, 4))}
