"""Exclusive prefix sums of 512 numbers a group: Blelloch's two trees, padded."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 19}
SMALL = {"n": 1024}
BLOCK = 512


def make(rng, n):
    arrays = {"x": rng.integers(0, 1 << 32, n, np.uint32), "y": np.zeros(n, np.uint32)}
    return Problem(
        arrays, [Launch("blelloch", (np.uint32(n), "x", "y"), (n // 2,), (BLOCK // 2,))], ("y",)
    )


def answer(problem):
    x = problem.arrays["x"].reshape(-1, BLOCK)
    return {"y": np.cumsum(x, 1, np.uint32) - x}
