"""The nearest of some points in the plane to each query, all compared."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "points": 512}
SMALL = {"n": 150, "points": 40}


def make(rng, n, points):
    arrays = {
        "x": rng.random(points, np.float32),
        "y": rng.random(points, np.float32),
        "qx": rng.random(n, np.float32),
        "qy": rng.random(n, np.float32),
        "nearest": np.zeros(n, np.uint32),
    }
    launch = Launch("nearest", (np.uint32(n), np.uint32(points), *arrays), (n,))
    return Problem(arrays, [launch], ("nearest",), differing=1e-3)


def answer(problem):
    a = {name: array.astype(np.float64) for name, array in problem.arrays.items()}
    squares = (a["qx"][:, None] - a["x"]) ** 2 + (a["qy"][:, None] - a["y"]) ** 2
    return {"nearest": squares.argmin(1).astype(np.uint32)}
