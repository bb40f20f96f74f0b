"""GELU of a layer's outputs: tanh by an exponential and a division."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 1000}


def make(rng, n):
    arrays = {"x": rng.normal(0, 2, n).astype(np.float32), "y": np.zeros(n, np.float32)}
    launch = Launch("gelu", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("y",), rtol=1e-4, atol=1e-5)


def answer(problem):
    x = problem.arrays["x"].astype(np.float64)
    y = 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))
    return {"y": y.astype(np.float32)}
