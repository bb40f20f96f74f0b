"""A product of square matrices by 16 x 16 tiles in group memory: groups of two dimensions."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 512}
SMALL = {"n": 32}


def make(rng, n):
    arrays = {name: rng.random((n, n), np.float32) for name in "ab"}
    arrays["c"] = np.zeros((n, n), np.float32)
    launch = Launch("matmul", (np.uint32(n), *arrays), (n, n), (16, 16))
    return Problem(arrays, [launch], ("c",), rtol=1e-4)


def answer(problem):
    return {"c": problem.arrays["a"] @ problem.arrays["b"]}
