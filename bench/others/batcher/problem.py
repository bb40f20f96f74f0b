"""Blocks of 512 keys, sorted in group memory by Batcher's odd-even merge sort (CUDA samples)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 1024}
GROUP = 256


def make(rng, n):
    arrays = {"x": rng.integers(0, 1 << 32, n, np.uint32)}
    return Problem(arrays, [Launch("batcher", (np.uint32(n), "x"), (n // 2,), (GROUP,))], ("x",))


def answer(problem):
    return {"x": np.sort(problem.arrays["x"].reshape(-1, 2 * GROUP), 1).ravel()}
