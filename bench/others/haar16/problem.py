"""Haar transforms of 16 columns of numbers, a row of sixteen a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 90}


def make(rng, n):
    arrays = {"x": rng.standard_normal((16, n)).astype(np.float32)}
    launch = Launch("haar16", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("x",), rtol=1e-4, atol=1e-5)


def answer(problem):
    v = problem.arrays["x"].copy()
    half = 8
    while half:
        pairs = v[: 2 * half].reshape(half, 2, -1)
        sums, differences = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        v[: 2 * half] = np.concatenate((sums, differences)) * np.float32(0.70710678)
        half //= 2
    return {"x": v}
