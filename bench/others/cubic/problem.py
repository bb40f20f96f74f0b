"""The root of x^3 + p x - q by Newton's method, whose lanes end in different iterations."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 300}


def make(rng, n):
    arrays = {
        "p": rng.uniform(1, 3, n).astype(np.float32),
        "q": np.exp(rng.uniform(-1, 6, n)).astype(np.float32),
        "root": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("cubic", (np.uint32(n), *arrays), (n,))], ("root",), rtol=1e-4)


def answer(problem):
    p, q = (problem.arrays[name].astype(np.float64) for name in ("p", "q"))
    x = q
    for _ in range(60):
        x = x - ((x * x + p) * x - q) / (3 * x * x + p)
    return {"root": x.astype(np.float32)}
