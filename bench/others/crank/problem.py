"""American puts by Crank and Nicolson's method, f64: tridiagonal systems in private arrays."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2003}
SMALL = {"n": 61}


def make(rng, n):
    arrays = {
        "side": rng.uniform(0.1, 0.9, n),
        "strike": rng.uniform(18, 30, n),
        "price": np.zeros(n),
    }
    return Problem(arrays, [Launch("crank", (np.uint32(n), *arrays), (n,))], ("price",))


def answer(problem):
    a, strike, _ = problem.arrays.values()
    worth = strike - np.arange(48)[:, None]
    v = np.maximum(worth, 0)
    for _ in range(12):
        right = a * v[:-2] + (1 - 2 * a) * v[1:-1] + a * v[2:]
        c = np.zeros_like(v)
        for j in range(1, 47):
            by = 1 / (1 + 2 * a + a * c[j - 1])
            c[j], v[j] = -a * by, (right[j - 1] + a * v[j - 1]) * by
        for j in range(46, 0, -1):
            v[j] = np.maximum(v[j] - c[j] * v[j + 1], worth[j])
    return {"price": v[24]}
