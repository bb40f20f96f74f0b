"""The entropy of the 25 values around each pixel, of sixteen: counts in private memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 300, "height": 200}
SMALL = {"width": 21, "height": 10}


def make(rng, width, height):
    y, x = np.mgrid[:height, :width]
    value = (x // 9 + y // 5 + rng.integers(0, 4, (height, width))) % 16
    arrays = {"value": value.astype(np.uint8), "entropy": np.zeros((height, width), np.float32)}
    sizes = np.uint32(width), np.uint32(height)
    launch = Launch("entropy", (*sizes, *arrays), (width, height), (16, 16))
    return Problem(arrays, [launch], ("entropy",), atol=1e-4)


def answer(problem):
    value = np.pad(problem.arrays["value"].astype(np.int8), 2, constant_values=-1)
    height, width = problem.arrays["value"].shape
    windows = [value[i : i + height, j : j + width] for i in range(5) for j in range(5)]
    count = np.array([sum(w == k for w in windows) for k in range(16)], np.float64)
    share = count / count.sum(0)
    return {"entropy": -(share * np.log2(np.where(count, share, 1))).sum(0).astype(np.float32)}
