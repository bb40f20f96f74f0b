"""Perlin's improved noise in three dimensions, four octaves a pixel."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 512, "height": 256}
SMALL = {"width": 32, "height": 8}
OCTAVES, SCALE, Z = 4, np.float32(0.043), np.float32(3.7)


def make(rng, width, height):
    once = rng.permutation(256).astype(np.uint32)
    arrays = {
        "permutation": np.concatenate([once, once]),
        "image": np.zeros((height, width), np.float32),
    }
    numbers = (np.uint32(width), np.uint32(height), SCALE, Z)
    launch = Launch("perlin", (*numbers, *arrays), (width, height), (32, 8))
    return Problem(arrays, [launch], ("image",), rtol=1e-3, atol=1e-3)


def answer(problem):
    p = problem.arrays["permutation"].astype(np.int64)
    height, width = problem.arrays["image"].shape
    x0 = np.arange(width, dtype=np.float32)[None] * SCALE + np.zeros((height, 1), np.float32)
    y0 = np.arange(height, dtype=np.float32)[:, None] * SCALE + np.zeros((1, width), np.float32)
    sum_, size, z0 = 0, 1.0, Z + 0 * x0

    def grad(h, x, y, z):
        h = h & 15
        u = np.where(h < 8, x, y)
        v = np.where(h < 4, y, np.where((h == 12) | (h == 14), x, z))
        return np.where(h & 1, -u, u) + np.where(h & 2, -v, v)

    def lerp(t, a, b):
        return a + t * (b - a)

    for _ in range(OCTAVES):
        cell = [np.floor(v).astype(np.int64) & 255 for v in (x0, y0, z0)]
        x, y, z = (v - np.floor(v) for v in (x0, y0, z0))
        u, v, w = (t * t * t * (t * (t * 6 - 15) + 10) for t in (x, y, z))
        a = p[cell[0]] + cell[1]
        aa, ab = p[a] + cell[2], p[a + 1] + cell[2]
        b = p[cell[0] + 1] + cell[1]
        ba, bb = p[b] + cell[2], p[b + 1] + cell[2]
        low = lerp(
            v,
            lerp(u, grad(p[aa], x, y, z), grad(p[ba], x - 1, y, z)),
            lerp(u, grad(p[ab], x, y - 1, z), grad(p[bb], x - 1, y - 1, z)),
        )
        high = lerp(
            v,
            lerp(u, grad(p[aa + 1], x, y, z - 1), grad(p[ba + 1], x - 1, y, z - 1)),
            lerp(u, grad(p[ab + 1], x, y - 1, z - 1), grad(p[bb + 1], x - 1, y - 1, z - 1)),
        )
        sum_ = sum_ + size * lerp(w, low, high)
        size, x0, y0, z0 = size / 2, x0 * 2, y0 * 2, z0 * 2
    return {"image": sum_.astype(np.float32)}
