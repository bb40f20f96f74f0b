"""A Gaussian blur of 5 x 5 on an image with a border: weights from memory, two short loops."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 1024, "height": 512}
SMALL = {"width": 37, "height": 9}


def make(rng, width, height):
    row = np.array([1, 4, 6, 4, 1], np.float32) / 16
    arrays = {
        "weights": np.outer(row, row),
        "image": rng.random((height + 4, width + 4), np.float32),
        "blurred": np.zeros((height, width), np.float32),
    }
    sizes = np.uint32(width), np.uint32(height)
    launch = Launch("gauss", (*sizes, *arrays), (width, height), (256, 1))
    return Problem(arrays, [launch], ("blurred",))


def answer(problem):
    image, (height, width) = problem.arrays["image"], problem.arrays["blurred"].shape
    terms = [
        problem.arrays["weights"][y, x] * image[y : y + height, x : x + width].astype(np.float64)
        for y in range(5)
        for x in range(5)
    ]
    return {"blurred": np.sum(terms, 0).astype(np.float32)}
