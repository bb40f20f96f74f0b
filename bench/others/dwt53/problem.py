"""A level of the 5/3 wavelet along the rows of an image, in group memory (JPEG 2000; Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 1024, "height": 512}
SMALL = {"width": 512, "height": 3}
GROUP = 128


def make(rng, width, height):
    """The width is a multiple of 256."""
    arrays = {
        "x": rng.integers(-128, 128, (height, width), np.int32),
        "y": np.zeros((height, width), np.int32),
    }
    launch = Launch(
        "dwt53", (np.uint32(width), np.uint32(height), *arrays), (width // 2, height), (GROUP, 1)
    )
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    x = problem.arrays["x"]
    even, odd = x[:, 0::2], x[:, 1::2]
    high = odd - ((even + np.concatenate([even[:, 1:], even[:, -1:]], 1)) >> 1)
    low = even + ((np.concatenate([high[:, :1], high[:, :-1]], 1) + high + 2) >> 2)
    return {"y": np.concatenate([low, high], 1)}
