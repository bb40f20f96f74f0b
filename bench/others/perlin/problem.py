"""Perlin's noise at each pixel: hashes of four corners by a table, smooth interpolation."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 1024}
SMALL = {"size": 32}


def make(rng, size):
    arrays = {
        "table": rng.permutation(256).astype(np.uint32),
        "out": np.zeros((size, size), np.float32),
    }
    numbers = np.uint32(size), np.float32(16 / size)
    launch = Launch("perlin", (*numbers, *arrays), (size, size), (16, 16))
    return Problem(arrays, [launch], ("out",), rtol=1e-4, atol=1e-4)


def answer(problem):
    size, table = problem.sizes.size, problem.arrays["table"]
    place = np.arange(size, dtype=np.float32) * np.float32(16 / size)
    whole = np.floor(place)
    cell, part = whole.astype(np.int64), place - whole
    x, y = cell[None, :], cell[:, None]
    fx, fy = np.meshgrid(part, part)

    def corner(dx, dy):
        h = table[(table[(x + dx) & 255] + y + dy) & 255]
        return np.where(h & 1, dx - fx, fx - dx) + np.where(h & 2, dy - fy, fy - dy)

    def fade(t):
        return t * t * t * (t * (t * 6 - 15) + 10)

    u, v = fade(fx), fade(fy)
    top = corner(0, 0) + u * (corner(1, 0) - corner(0, 0))
    bottom = corner(0, 1) + u * (corner(1, 1) - corner(0, 1))
    return {"out": (top + v * (bottom - top)).astype(np.float32)}
