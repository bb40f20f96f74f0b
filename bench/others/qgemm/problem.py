"""A product of matrices of signed bytes, summed in 32 bits: tiles of 16 x 16 in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 256, "k": 256}
SMALL = {"n": 32, "k": 48}
TILE = 16


def make(rng, n, k):
    arrays = {
        "a": rng.integers(-128, 128, (n, k), np.int8),
        "b": rng.integers(-128, 128, (k, n), np.int8),
        "c": np.zeros((n, n), np.int32),
    }
    launch = Launch("qgemm", (np.uint32(n), np.uint32(k), *arrays), (n, n), (TILE, TILE))
    return Problem(arrays, [launch], ("c",))


def answer(problem):
    a, b = (problem.arrays[name].astype(np.int32) for name in "ab")
    return {"c": a @ b}
