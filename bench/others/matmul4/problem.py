"""A product of matrices by tiles of 32 x 32 and groups of 32 x 8: four elements a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 512, "inner": 256}
SMALL = {"n": 32, "inner": 64}


def make(rng, n, inner):
    """An n x inner matrix times an inner x n one."""
    arrays = {
        "a": rng.random((n, inner), np.float32),
        "b": rng.random((inner, n), np.float32),
        "c": np.zeros((n, n), np.float32),
    }
    numbers = np.uint32(n), np.uint32(inner)
    launch = Launch("matmul4", (*numbers, *arrays), (n, n // 4), (32, 8))
    return Problem(arrays, [launch], ("c",), rtol=1e-4)


def answer(problem):
    return {"c": problem.arrays["a"] @ problem.arrays["b"]}
