"""A bilateral filter of 5 x 5 on an image with a border: exponentials of differences."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 512, "height": 256}
SMALL = {"width": 35, "height": 5}
NEAR, ALIKE = np.float32(0.125), np.float32(8)


def make(rng, width, height):
    arrays = {
        "image": rng.random((height + 4, width + 4), np.float32),
        "smooth": np.zeros((height, width), np.float32),
    }
    numbers = np.uint32(width), np.uint32(height), NEAR, ALIKE
    launch = Launch("bilateral", (*numbers, *arrays), (width, height), (256, 1))
    return Problem(arrays, [launch], ("smooth",), rtol=1e-4)


def answer(problem):
    image = problem.arrays["image"].astype(np.float64)
    height, width = problem.arrays["smooth"].shape
    centre = image[2 : 2 + height, 2 : 2 + width]
    total, weights = np.zeros_like(centre), np.zeros_like(centre)
    for y in range(5):
        for x in range(5):
            pixel = image[y : y + height, x : x + width]
            apart = (y - 2) ** 2 + (x - 2) ** 2
            weight = np.exp(-NEAR * apart - ALIKE * (pixel - centre) ** 2)
            total, weights = total + weight * pixel, weights + weight
    return {"smooth": (total / weights).astype(np.float32)}
