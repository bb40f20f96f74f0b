"""A function by linear interpolation in a table of unequal steps, found by binary search."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18, "knots": 64}
SMALL = {"n": 400, "knots": 10}


def make(rng, n, knots):
    x = np.sort(rng.random(knots)).astype(np.float32)
    x[0], x[-1] = 0, 1
    arrays = {
        "x": x,
        "y": rng.random(knots, np.float32),
        "at": rng.random(n, np.float32),
        "value": np.zeros(n, np.float32),
    }
    launch = Launch("interpolate", (np.uint32(n), np.uint32(knots), *arrays), (n,))
    return Problem(arrays, [launch], ("value",), rtol=1e-3, atol=1e-3)


def answer(problem):
    a = {name: array.astype(np.float64) for name, array in problem.arrays.items()}
    return {"value": np.interp(a["at"], a["x"], a["y"]).astype(np.float32)}
