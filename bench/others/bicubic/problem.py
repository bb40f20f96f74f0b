"""An image enlarged by bicubic interpolation: 4 x 4 pixels, clamped at the border."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 512, "height": 384, "wide": 200, "high": 150}
SMALL = {"width": 37, "height": 11, "wide": 15, "high": 6}


def make(rng, width, height, wide, high):
    arrays = {
        "image": rng.random((high, wide), np.float32),
        "large": np.zeros((height, width), np.float32),
    }
    numbers = np.uint32(width), np.uint32(height), np.uint32(wide), np.uint32(high)
    scales = np.float32(wide / width), np.float32(high / height)
    launch = Launch("bicubic", (*numbers, *scales, *arrays), (width, height), (32, 8))
    return Problem(arrays, [launch], ("large",), rtol=1e-3, atol=1e-3)


def weights(size, count):
    place = (np.arange(size) + 0.5) * np.float64(np.float32(count / size)) - 0.5
    first = np.floor(place)
    t = place - first
    cubic = (
        ((-0.5 * t + 1) * t - 0.5) * t,
        (1.5 * t - 2.5) * t * t + 1,
        ((-1.5 * t + 2) * t + 0.5) * t,
        (0.5 * t - 0.5) * t * t,
    )
    matrix = np.zeros((size, count))
    for k, weight in enumerate(cubic):
        at = np.clip(first.astype(int) + k - 1, 0, count - 1)
        np.add.at(matrix, (np.arange(size), at), weight)
    return matrix


def answer(problem):
    image, (height, width) = problem.arrays["image"], problem.arrays["large"].shape
    high, wide = image.shape
    large = weights(height, high) @ image.astype(np.float64) @ weights(width, wide).T
    return {"large": large.astype(np.float32)}
