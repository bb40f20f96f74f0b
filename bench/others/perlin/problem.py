"""Perlin's noise, four octaves: a table of permutations, and gradients by cases."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 256, "height": 128}
SMALL = {"width": 20, "height": 6}


def make(rng, width, height):
    table = rng.permutation(256).astype(np.uint32)
    arrays = {"table": np.tile(table, 2), "noise": np.zeros((height, width), np.float32)}
    numbers = np.uint32(width), np.uint32(height), np.float32(0.0371)
    launch = Launch("perlin", (*numbers, *arrays), (width, height), (64, 1))
    return Problem(arrays, [launch], ("noise",), rtol=1e-3, atol=1e-3, differing=0.001)


def gradient(code, x, y):
    first, second = np.where(code & 4, y, x), np.where(code & 4, x, y)
    return np.where(code & 1, -first, first) + np.where(code & 2, -2, 2) * second


def answer(problem):
    table = problem.arrays["table"].astype(int)
    height, width = problem.arrays["noise"].shape
    row, column = np.mgrid[:height, :width].astype(np.float32)
    x, y = column * np.float32(0.0371), row * np.float32(0.0371)
    total, share = np.zeros((height, width)), 1.0
    for _ in range(4):
        left, top = np.floor(x), np.floor(y)
        i, j = left.astype(int) & 255, top.astype(int) & 255
        u, v = (x - left).astype(float), (y - top).astype(float)
        s, t = (w * w * w * (w * (w * 6 - 15) + 10) for w in (u, v))
        a, b = table[i] + j, table[i + 1] + j
        above = gradient(table[a], u, v), gradient(table[b], u - 1, v)
        below = gradient(table[a + 1], u, v - 1), gradient(table[b + 1], u - 1, v - 1)
        near, far = (low + s * (high - low) for low, high in (above, below))
        total += share * (near + t * (far - near))
        share, x, y = share / 2, x * 2, y * 2
    return {"noise": total.astype(np.float32)}
