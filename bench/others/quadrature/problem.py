"""Adaptive integrals, f64: halves of intervals on a stack of each work-item's own."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 70}
TOLERANCE = 1e-7


def make(rng, n):
    arrays = {"a": rng.uniform(0.01, 1, n), "integral": np.zeros(n)}
    launch = Launch("quadrature", (np.uint32(n), np.float64(TOLERANCE), *arrays), (n,))
    return Problem(arrays, [launch], ("integral",), rtol=1e-4, atol=1e-5)


def answer(problem):
    # The integral of 1 / (a + x^2) from 0 to 4.
    root = np.sqrt(problem.arrays["a"])
    return {"integral": np.arctan(4 / root) / root}
