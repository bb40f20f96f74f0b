"""Merging of eight sorted lists by a heap of their first elements, a set of lists a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12}
SMALL = {"n": 60}
LISTS, LENGTH = 8, 16


def make(rng, n):
    x = np.sort(rng.integers(0, 1 << 28, (n, LISTS, LENGTH), np.uint32), axis=2)
    arrays = {"x": x, "y": np.zeros((n, LISTS * LENGTH), np.uint32)}
    return Problem(arrays, [Launch("kmerge", (np.uint32(n), *arrays), (n,), (64,))], ("y",))


def answer(problem):
    x = problem.arrays["x"]
    return {"y": np.sort(x.reshape(x.shape[0], -1), axis=1)}
