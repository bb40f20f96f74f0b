"""A layer of a neural network (Rodinia's backprop): groups of 16 x 16, sums by a tree."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 65536}
SMALL = {"n": 64}
SIDE = 16


def make(rng, n):
    """`weight` is n x 16; a group of 16 inputs gives 16 partial sums."""
    arrays = {
        "x": rng.random(n, np.float32),
        "weight": rng.random((n, SIDE), np.float32),
        "partial": np.zeros((n // SIDE, SIDE), np.float32),
    }
    launch = Launch("backprop", (np.uint32(n), *arrays), (SIDE, n), (SIDE, SIDE))
    return Problem(arrays, [launch], ("weight", "partial"))


def answer(problem):
    weight = problem.arrays["weight"] * problem.arrays["x"][:, None]
    return {"weight": weight, "partial": weight.reshape(-1, SIDE, SIDE).sum(1)}
