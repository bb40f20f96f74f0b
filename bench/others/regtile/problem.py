"""A product of matrices by 32 x 32 tiles in group memory, 4 x 4 sums a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 384}
SMALL = {"n": 32}


def make(rng, n):
    arrays = {name: rng.random((n, n), np.float32) for name in "ab"}
    arrays["c"] = np.zeros((n, n), np.float32)
    launch = Launch("regtile", (np.uint32(n), *arrays), (n // 4, n // 4), (8, 8))
    return Problem(arrays, [launch], ("c",), rtol=1e-4)


def answer(problem):
    return {"c": problem.arrays["a"] @ problem.arrays["b"]}
