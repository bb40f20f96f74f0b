"""Roots of x^3 + p x = q by the method of Brent: bisection, secants and inverse parabolas."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 100}


def make(rng, n):
    arrays = {
        "p": rng.uniform(0.2, 3, n).astype(np.float32),
        "q": rng.uniform(0.5, 40, n).astype(np.float32),
        "root": np.zeros(n, np.float32),
    }
    return Problem(
        arrays, [Launch("brent", (np.uint32(n), *arrays), (n,))], ("root",), rtol=2e-4, atol=2e-4
    )


def answer(problem):
    p, q = (problem.arrays[name].astype(np.float64) for name in "pq")
    low, high = np.zeros_like(p), np.full_like(p, 4)
    for _ in range(60):
        middle = (low + high) / 2
        above = middle**3 + p * middle > q
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return {"root": low.astype(np.float32)}
