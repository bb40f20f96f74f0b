"""An affine warp of an image of bytes: a pixel between four, nothing where it leaves the image."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 512, "height": 256}
SMALL = {"width": 33, "height": 12}


def make(rng, width, height):
    angle = 0.2
    numbers = (1.1 * np.cos(angle), -1.1 * np.sin(angle), 0.05 * width)
    numbers += (1.1 * np.sin(angle), 1.1 * np.cos(angle), -0.1 * height)
    arrays = {
        "image": rng.integers(0, 256, (height, width), np.uint8),
        "warped": np.zeros((height, width), np.uint8),
    }
    sizes = np.uint32(width), np.uint32(height)
    launch = Launch(
        "warpaffine", (*sizes, *map(np.float32, numbers), *arrays), (width, height), (32, 8)
    )
    return Problem(arrays, [launch], ("warped",), differing=0.001)


def answer(problem):
    image = problem.arrays["image"].astype(np.float64)
    height, width = image.shape
    a, b, c, d, e, f = (float(number) for number in problem.launches[0].arguments[2:8])
    y, x = np.mgrid[:height, :width]
    u, v = a * x + b * y + c, d * x + e * y + f
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    u, v = u - i, v - j
    inside = (i >= 0) & (i < width - 1) & (j >= 0) & (j < height - 1)
    i, j = np.where(inside, i, 0), np.where(inside, j, 0)
    above = image[j, i] * (1 - u) + image[j, i + 1] * u
    below = image[j + 1, i] * (1 - u) + image[j + 1, i + 1] * u
    value = above * (1 - v) + below * v
    return {"warped": np.where(inside, value + 0.5, 0).astype(np.uint8)}
