"""Sums of the numbers since the last head of a segment, within each block of 256."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 19}
SMALL = {"n": 1024}
BLOCK = 256


def make(rng, n):
    arrays = {
        "x": rng.integers(0, 1 << 20, n, np.uint32),
        "head": (rng.random(n) < 0.05).astype(np.uint32),
        "y": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("segscan", (np.uint32(n), *arrays), (n,), (BLOCK,))], ("y",))


def answer(problem):
    x, head = (problem.arrays[name].reshape(-1, BLOCK) for name in ("x", "head"))
    total = np.cumsum(x, 1, np.uint32)
    place = np.arange(BLOCK) * (head != 0)
    first = np.maximum.accumulate(place, 1)
    return {"y": (total - np.take_along_axis(total - x, first, 1)).astype(np.uint32).ravel()}
