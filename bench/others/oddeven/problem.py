"""Odd-even transposition sort of blocks of 128 numbers in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 256}
GROUP = 128


def make(rng, n):
    arrays = {"x": rng.integers(0, 1 << 31, n, np.int32)}
    return Problem(arrays, [Launch("oddeven", (np.uint32(n), "x"), (n,), (GROUP,))], ("x",))


def answer(problem):
    return {"x": np.sort(problem.arrays["x"].reshape(-1, GROUP), 1)}
