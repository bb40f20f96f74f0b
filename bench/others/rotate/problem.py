"""An image turned by an angle with bilinear interpolation: four pixels at places that turn, too."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 512, "height": 256}
SMALL = {"width": 35, "height": 9}
COSINE, SINE = np.float32(0.9), np.float32(0.3)


def make(rng, width, height):
    arrays = {
        "image": rng.random((height, width), np.float32),
        "turned": np.zeros((height, width), np.float32),
    }
    numbers = np.uint32(width), np.uint32(height), COSINE, SINE
    launch = Launch("rotate_image", (*numbers, *arrays), (width, height), (16, 16))
    return Problem(arrays, [launch], ("turned",), rtol=1e-3, atol=1e-3)


def answer(problem):
    image = problem.arrays["image"].astype(np.float64)
    height, width = image.shape
    x, y = np.arange(width)[None, :] - width / 2, np.arange(height)[:, None] - height / 2
    u = np.clip(COSINE * x - SINE * y + width / 2, 0, width - 1.001)
    v = np.clip(SINE * x + COSINE * y + height / 2, 0, height - 1.001)
    left, top = u.astype(int), v.astype(int)
    a, b = u - left, v - top
    upper = image[top, left] * (1 - a) + image[top, left + 1] * a
    lower = image[top + 1, left] * (1 - a) + image[top + 1, left + 1] * a
    return {"turned": (upper * (1 - b) + lower * b).astype(np.float32)}
