"""Inverses of 4 x 4 matrices, f32: Gauss-Jordan with a pivot of each work-item's own."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 90}


def make(rng, n):
    rotations, _ = np.linalg.qr(rng.standard_normal((n, 4, 4)))
    a = np.ascontiguousarray(rotations.reshape(n, 16).T, np.float32)
    arrays = {"a": a, "inverse": np.zeros_like(a)}
    launch = Launch("gaussjordan", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("inverse",), rtol=1e-3, atol=1e-4)


def answer(problem):
    got = np.linalg.inv(problem.arrays["a"].T.reshape(-1, 4, 4))
    return {"inverse": np.ascontiguousarray(got.reshape(-1, 16).T, np.float32)}
