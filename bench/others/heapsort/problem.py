"""Heap sort of 32 numbers a work-item in private memory: each lane has its own places."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 70}


def make(rng, n):
    arrays = {"x": rng.random((32, n), np.float32), "y": np.zeros((32, n), np.float32)}
    return Problem(arrays, [Launch("heapsort", (np.uint32(n), *arrays), (n,))], ("y",))


def answer(problem):
    return {"y": np.sort(problem.arrays["x"], axis=0)}
