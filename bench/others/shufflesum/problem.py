"""Sums of rows of 32 numbers: a warp adds its numbers up by shuffles."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"groups": 1 << 13}
SMALL = {"groups": 3}
GROUP, ROW = 256, 32


def make(rng, groups):
    n = groups * GROUP
    arrays = {
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "sums": np.zeros(n // ROW, np.uint32),
    }
    launch = Launch("shufflesum", (np.uint32(n), *arrays), (n,), (GROUP,))
    return Problem(arrays, [launch], ("sums",))


def answer(problem):
    return {"sums": problem.arrays["x"].reshape(-1, ROW).sum(1, dtype=np.uint32)}
