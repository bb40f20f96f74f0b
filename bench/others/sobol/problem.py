"""The CUDA samples' Sobol sequence: a number is the xor of directions chosen by its Gray code."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "dimensions": 8}
SMALL = {"n": 100, "dimensions": 2}


def make(rng, n, dimensions):
    arrays = {
        "direction": rng.integers(0, 1 << 32, (dimensions, 32), np.uint64).astype(np.uint32),
        "points": np.zeros((dimensions, n), np.float32),
    }
    scalars = np.uint32(n), np.uint32(dimensions)
    return Problem(
        arrays, [Launch("sobol", (*scalars, *arrays), (n, dimensions), (64, 1))], ("points",)
    )


def answer(problem):
    a, s = problem.arrays, problem.sizes
    gray = np.arange(s.n, dtype=np.uint32)
    gray ^= gray >> 1
    x = np.zeros((s.dimensions, s.n), np.uint32)
    for k in range(32):
        x ^= np.where(gray >> k & 1, a["direction"][:, k : k + 1], np.uint32(0))
    return {"points": x.astype(np.float32) * np.float32(2.0**-32)}
