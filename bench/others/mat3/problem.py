"""Matrices of 3 x 3 times a shared one, f32: nine numbers a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 40000}
SMALL = {"n": 70}


def make(rng, n):
    arrays = {
        "a": rng.uniform(-1, 1, (n, 3, 3)).astype(np.float32),
        "b": rng.uniform(-1, 1, (3, 3)).astype(np.float32),
        "c": np.zeros((n, 3, 3), np.float32),
    }
    return Problem(
        arrays, [Launch("mat3", (np.uint32(n), *arrays), (n,))], ("c",), rtol=1e-3, atol=1e-5
    )


def answer(problem):
    return {"c": problem.arrays["a"] @ problem.arrays["b"]}
