"""Layer normalisation backwards, a row a workgroup: two trees of two sums each."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 300, "columns": 768}
SMALL = {"rows": 4, "columns": 300}


def make(rng, rows, columns):
    arrays = {
        "x": rng.uniform(-1, 2, (rows, columns)).astype(np.float32),
        "gamma": rng.uniform(0.5, 1.5, columns).astype(np.float32),
        "up": rng.uniform(-1, 1, (rows, columns)).astype(np.float32),
        "down": np.zeros((rows, columns), np.float32),
    }
    numbers = np.uint32(rows), np.uint32(columns)
    launch = Launch("lnback", (*numbers, *arrays), (rows * 128,), (128,))
    return Problem(arrays, [launch], ("down",), rtol=1e-3, atol=1e-4)


def answer(problem):
    x, gamma, up, _ = problem.arrays.values()
    x = x.astype(np.float64)
    mean = x.mean(1, keepdims=True)
    scale = 1 / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    g = up * gamma
    turn = (g * (x - mean)).mean(1, keepdims=True) * scale * scale
    down = (g - g.mean(1, keepdims=True) - (x - mean) * turn) * scale
    return {"down": down.astype(np.float32)}
