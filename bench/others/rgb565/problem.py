"""Pixels of 16 bits become pixels of 32."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 200000}
SMALL = {"n": 300}


def make(rng, n):
    arrays = {"x": rng.integers(0, 1 << 16, n, np.uint16), "y": np.zeros(n, np.uint32)}
    launch = Launch("rgb565", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    p = problem.arrays["x"].astype(np.uint32)
    r, g, b = p >> 11, p >> 5 & 63, p & 31
    r, g, b = r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2
    return {"y": np.uint32(0xFF000000) | b << 16 | g << 8 | r}
