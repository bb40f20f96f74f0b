"""Sums of all numbers before in rows of 32: a warp scans its numbers by shuffles."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"groups": 1 << 12}
SMALL = {"groups": 3}
GROUP, ROW = 256, 32


def make(rng, groups):
    n = groups * GROUP
    arrays = {"x": rng.integers(0, 1 << 32, n, np.uint32), "y": np.zeros(n, np.uint32)}
    launch = Launch("shufflescan", (np.uint32(n), *arrays), (n,), (GROUP,))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    rows = problem.arrays["x"].reshape(-1, ROW)
    return {"y": rows.cumsum(1, dtype=np.uint32).ravel()}
