"""The sum of two products of a matrix and a vector, in memory (GESUMMV of PolyBench)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1001}
SMALL = {"n": 40}
ALPHA, BETA = np.float32(1.5), np.float32(0.5)


def make(rng, n):
    arrays = {name: rng.random((n, n), np.float32) for name in "ab"}
    arrays["x"] = rng.random(n, np.float32)
    arrays |= {name: np.zeros(n, np.float32) for name in ("tmp", "y")}
    launch = Launch("gesummv", (np.uint32(n), ALPHA, BETA, *arrays), (n,))
    return Problem(arrays, [launch], ("tmp", "y"), rtol=1e-4)


def answer(problem):
    a, b, x = (problem.arrays[name].astype(np.float64) for name in "abx")
    return {
        "tmp": (a @ x).astype(np.float32),
        "y": (ALPHA * a @ x + BETA * b @ x).astype(np.float32),
    }
