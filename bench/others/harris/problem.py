"""Harris' measure of corners, from two planes of gradients with a border of one pixel."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 640, "height": 360}
SMALL = {"width": 50, "height": 7}
K = np.float32(0.05)


def make(rng, width, height):
    shape = (height + 2, width + 2)
    arrays = {
        "gx": rng.standard_normal(shape, np.float32),
        "gy": rng.standard_normal(shape, np.float32),
        "corner": np.zeros((height, width), np.float32),
    }
    numbers = np.uint32(width), np.uint32(height), K
    launch = Launch("harris", (*numbers, *arrays), (width, height), (32, 8))
    return Problem(arrays, [launch], ("corner",), rtol=1e-3, atol=1e-3)


def answer(problem):
    gx, gy = (problem.arrays[name].astype(np.float64) for name in ("gx", "gy"))

    def window(product):
        return np.lib.stride_tricks.sliding_window_view(product, (3, 3)).sum((2, 3))

    xx, xy, yy = window(gx * gx), window(gx * gy), window(gy * gy)
    return {"corner": (xx * yy - xy * xy - K * (xx + yy) ** 2).astype(np.float32)}
