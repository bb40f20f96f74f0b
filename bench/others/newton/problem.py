"""Roots of polynomials of degree 7 by Newton's method, a polynomial a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 90}


def make(rng, n):
    """Coefficients above 0 but for the first one: one root above 0, and a convex polynomial."""
    coefficients = rng.uniform(0.5, 2, (8, n)).astype(np.float32)
    coefficients[0] *= -1
    arrays = {"coefficients": coefficients, "root": np.zeros(n, np.float32)}
    launch = Launch("newton", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("root",), rtol=1e-4)


def answer(problem):
    p = problem.arrays["coefficients"].astype(np.float64)
    x = np.ones(p.shape[1])
    for _ in range(20):
        value = sum(p[k] * x**k for k in range(8))
        x -= value / sum(k * p[k] * x ** (k - 1) for k in range(1, 8))
    return {"root": x.astype(np.float32)}
