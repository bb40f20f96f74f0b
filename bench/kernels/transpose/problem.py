"""A transpose by 16 x 16 tiles in group memory: moves only."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2048}
SMALL = {"n": 48}


def make(rng, n):
    arrays = {"x": rng.integers(0, 1 << 32, (n, n), np.uint32), "y": np.zeros((n, n), np.uint32)}
    launch = Launch("transpose", (np.uint32(n), "x", "y"), (n, n), (16, 16))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    return {"y": np.ascontiguousarray(problem.arrays["x"].T)}
