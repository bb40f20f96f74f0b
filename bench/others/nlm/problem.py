"""Non-local means: windows of 7 x 7 pixels, weighted by differences of patches of 3 x 3."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 256, "height": 64}
SMALL = {"width": 34, "height": 3}
ALIKE = np.float32(1.5)


def make(rng, width, height):
    arrays = {
        "image": rng.random((height + 8, width + 8), np.float32),
        "smooth": np.zeros((height, width), np.float32),
    }
    numbers = np.uint32(width), np.uint32(height), ALIKE
    launch = Launch("nlm", (*numbers, *arrays), (width, height), (32, 8))
    return Problem(arrays, [launch], ("smooth",), rtol=1e-4)


def answer(problem):
    image = problem.arrays["image"].astype(np.float64)
    height, width = problem.arrays["smooth"].shape
    patches = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    here = patches[3 : 3 + height, 3 : 3 + width]
    total, weights = np.zeros((2, height, width))
    for dy in range(7):
        for dx in range(7):
            there = patches[dy : dy + height, dx : dx + width]
            weight = np.exp(-ALIKE * ((here - there) ** 2).sum((2, 3)))
            total += weight * there[..., 1, 1]
            weights += weight
    return {"smooth": (total / weights).astype(np.float32)}
