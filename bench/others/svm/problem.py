"""A support vector machine with a cubic kernel: what it decides of points with six features."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 300}
VECTORS, FEATURES = 40, 6


def make(rng, n):
    """`x` is by features, so that neighbours are side by side."""
    arrays = {
        "vector": rng.random((VECTORS, FEATURES), np.float32) - np.float32(0.5),
        "weight": rng.random(VECTORS, np.float32) - np.float32(0.5),
        "x": rng.random((FEATURES, n), np.float32),
        "y": np.zeros(n, np.float32),
    }
    return Problem(
        arrays, [Launch("svm", (np.uint32(n), *arrays), (n,))], ("y",), rtol=1e-4, atol=1e-4
    )


def answer(problem):
    a = problem.arrays
    product = a["vector"].astype(np.float64) @ a["x"] + 1
    return {"y": (a["weight"] @ product**3).astype(np.float32)}
