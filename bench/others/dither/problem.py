"""Bytes of a row in black and white: what a pixel is off is added to the next one. A row a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"height": 1024, "width": 1000}
SMALL = {"height": 20, "width": 50}


def make(rng, height, width):
    arrays = {
        "before": rng.integers(0, 256, (height, width), np.uint8),
        "after": np.zeros((height, width), np.uint8),
    }
    arguments = (np.uint32(height), np.uint32(width), *arrays)
    return Problem(arrays, [Launch("dither", arguments, (height,))], ("after",))


def answer(problem):
    old = problem.arrays["before"].astype(np.int32)
    new, error = np.zeros(old.shape, np.uint8), np.zeros(len(old), np.int32)
    for x in range(old.shape[1]):
        value = old[:, x] + error
        new[:, x] = np.where(value < 128, 0, 255)
        error = value - new[:, x]
    return {"after": new}
