"""A triangular matrix times another one (TRMM of PolyBench), into a third."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 250}
SMALL = {"n": 20}
ALPHA = np.float32(1.5)


def make(rng, n):
    arrays = {name: rng.random((n, n), np.float32) for name in "ab"}
    arrays["c"] = np.zeros((n, n), np.float32)
    arguments = np.uint32(n), ALPHA, *arrays
    return Problem(arrays, [Launch("trmm", arguments, (n, n), (32, 8))], ("c",), rtol=1e-4)


def answer(problem):
    a, b = (problem.arrays[name].astype(np.float64) for name in "ab")
    return {"c": (ALPHA * (b + np.tril(a, -1).T @ b)).astype(np.float32)}
