"""Sixteen columns of numbers sorted by a network that is a table, a row of sixteen a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 90}


def make(rng, n):
    arrays = {"x": rng.standard_normal((16, n)).astype(np.float32)}
    return Problem(arrays, [Launch("comparators", (np.uint32(n), *arrays), (n,))], ("x",))


def answer(problem):
    return {"x": np.sort(problem.arrays["x"], axis=0)}
