"""Tridiagonal systems of 256 equations by parallel cyclic reduction in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"systems": 256}
SMALL = {"systems": 2}
N = 256


def make(rng, systems):
    shape = systems, N
    lower, upper = (rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(2))
    lower[:, 0] = upper[:, -1] = 0
    arrays = {
        "lower": lower,
        "middle": rng.uniform(3, 4, shape).astype(np.float32),
        "upper": upper,
        "right": rng.uniform(-1, 1, shape).astype(np.float32),
        "x": np.zeros(shape, np.float32),
    }
    launch = Launch("pcr", (np.uint32(systems), *arrays), (systems * N,), (N,))
    return Problem(arrays, [launch], ("x",), rtol=1e-3, atol=1e-4)


def answer(problem):
    a = {name: array.astype(np.float64) for name, array in problem.arrays.items()}
    middle, right = a["middle"].copy(), a["right"].copy()
    for i in range(1, N):
        factor = a["lower"][:, i] / middle[:, i - 1]
        middle[:, i] -= factor * a["upper"][:, i - 1]
        right[:, i] -= factor * right[:, i - 1]
    x = right / middle
    for i in range(N - 2, -1, -1):
        x[:, i] = (right[:, i] - a["upper"][:, i] * x[:, i + 1]) / middle[:, i]
    return {"x": x.astype(np.float32)}
