"""Insertion sort of 16 numbers a work-item in a private array: lanes shift differently far."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 90}


def make(rng, n):
    arrays = {"x": rng.integers(0, 1 << 31, (16, n), np.int32), "y": np.zeros((16, n), np.int32)}
    return Problem(arrays, [Launch("insertion", (np.uint32(n), *arrays), (n,))], ("y",))


def answer(problem):
    return {"y": np.sort(problem.arrays["x"], axis=0)}
