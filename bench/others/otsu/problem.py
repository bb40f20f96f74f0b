"""Tiles of an image made black and white by Otsu's limit: counts, sums, a tree in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"across": 9, "down": 8}
SMALL = {"across": 3, "down": 2}


def make(rng, across, down):
    shape = down * 32, across * 32
    bright = rng.random(shape) < 0.4
    image = np.where(bright, rng.normal(170, 30, shape), rng.normal(80, 25, shape))
    arrays = {
        "image": np.clip(image, 0, 255).astype(np.uint8),
        "out": np.zeros(shape, np.uint8),
        "limit": np.zeros((down, across), np.uint8),
    }
    arguments = np.uint32(shape[1]), *arrays, np.uint32(down)
    launch = Launch("otsu", arguments, (across * 256, down), (256, 1))
    return Problem(arrays, [launch], ("out", "limit"))


def answer(problem):
    image, out, limit = problem.arrays.values()
    out, limit = out.copy(), limit.copy()
    for y, x in np.ndindex(limit.shape):
        place = slice(y * 32, y * 32 + 32), slice(x * 32, x * 32 + 32)
        count = np.bincount(image[place].ravel(), minlength=256)
        below, mass = count.cumsum(), (count * np.arange(256)).cumsum()
        apart = (mass[255] * below - mass * 1024).astype(np.float32)
        spread = (below * (1024 - below)).astype(np.float32)
        value = np.divide(apart * apart, spread, out=np.zeros_like(apart), where=spread > 0)
        limit[y, x] = value.argmax()
        out[place] = np.where(image[place] > limit[y, x], 255, 0)
    return {"out": out, "limit": limit}
