"""Blocks of 256 numbers sorted by four bits: a split by each bit, with a scan (Satish et al.)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 512}
GROUP = 256


def make(rng, n):
    arrays = {"x": rng.integers(0, 1 << 32, n, np.uint32), "y": np.zeros(n, np.uint32)}
    return Problem(arrays, [Launch("radixblock", (np.uint32(n), "x", "y"), (n,))], ("y",))


def answer(problem):
    x = problem.arrays["x"].reshape(-1, GROUP)
    return {"y": np.take_along_axis(x, np.argsort(x & 15, 1, kind="stable"), 1)}
