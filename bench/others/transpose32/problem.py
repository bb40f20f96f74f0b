"""A transpose by tiles of 32 x 32 and groups of 32 x 8: four rows a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1024}
SMALL = {"n": 64}


def make(rng, n):
    arrays = {"x": rng.integers(0, 1 << 32, (n, n), np.uint32), "y": np.zeros((n, n), np.uint32)}
    return Problem(
        arrays, [Launch("transpose32", (np.uint32(n), "x", "y"), (n, n // 4), (32, 8))], ("y",)
    )


def answer(problem):
    return {"y": problem.arrays["x"].T.copy()}
