"""Roots of a cubic by halving intervals, until these are short beside the root."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 300}

EXACT = np.float32(1e-5)


def make(rng, n):
    x = (4 * rng.random(n) ** 4).astype(np.float32) + np.float32(1e-3)
    arrays = {"value": x * x * x + x, "root": np.zeros(n, np.float32)}
    launch = Launch("bisect", (np.uint32(n), EXACT, *arrays), (n,))
    return Problem(arrays, [launch], ("root",), rtol=4e-5)


def answer(problem):
    value = problem.arrays["value"].astype(np.float64)
    below, above = np.zeros_like(value), np.full_like(value, 4.0)
    for _ in range(60):
        x = (below + above) / 2
        is_below = x**3 + x < value
        below, above = np.where(is_below, x, below), np.where(is_below, above, x)
    return {"root": above.astype(np.float32)}
