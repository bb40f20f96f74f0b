"""A convolution of an image by 5 x 5 weights, tiles of 20 x 20 in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 512}
SMALL = {"n": 32}
SIDE = 5


def make(rng, n):
    """`x` has a border of two numbers."""
    arrays = {
        "weight": rng.random((SIDE, SIDE), np.float32),
        "x": rng.random((n + SIDE - 1, n + SIDE - 1), np.float32),
        "y": np.zeros((n, n), np.float32),
    }
    return Problem(
        arrays, [Launch("convolution", (np.uint32(n), *arrays), (n, n), (16, 16))], ("y",)
    )


def answer(problem):
    weight, x, n = problem.arrays["weight"], problem.arrays["x"], problem.sizes.n
    places = [(i, j) for i in range(SIDE) for j in range(SIDE)]
    return {"y": sum(weight[i, j] * x[i : i + n, j : j + n] for i, j in places)}
