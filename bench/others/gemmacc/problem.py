"""A product of matrices that is summed in memory, as PolyBench's kernels for GPUs write it."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 160}
SMALL = {"n": 20}
ALPHA, BETA = np.float32(1.5), np.float32(0.5)


def make(rng, n):
    arrays = {name: rng.random((n, n), np.float32) for name in "abc"}
    arguments = np.uint32(n), ALPHA, BETA, *arrays
    return Problem(arrays, [Launch("gemmacc", arguments, (n, n), (32, 8))], ("c",), rtol=1e-4)


def answer(problem):
    a, b, c = (problem.arrays[name].astype(np.float64) for name in "abc")
    return {"c": (BETA * c + ALPHA * (a @ b)).astype(np.float32)}
