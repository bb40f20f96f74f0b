"""A layer of a network, f32: sums of the four inputs of a work-item, for each of m outputs."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 20000, "m": 32}
SMALL = {"n": 70, "m": 3}


def make(rng, n, m):
    arrays = {
        "w": rng.uniform(-1, 1, (m, 4)).astype(np.float32),
        "x": rng.uniform(-1, 1, (n, 4)).astype(np.float32),
        "y": np.zeros((n, m), np.float32),
    }
    return Problem(
        arrays,
        [Launch("perceptron", (np.uint32(n), np.uint32(m), *arrays), (n,))],
        ("y",),
        rtol=1e-3,
        atol=1e-5,
    )


def answer(problem):
    return {"y": problem.arrays["x"] @ problem.arrays["w"].T}
