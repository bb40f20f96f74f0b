"""Inverses of 4 x 4 matrices, f64: Gauss-Jordan with a pivot of each work-item's own."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 90}


def make(rng, n):
    arrays = {"a": rng.standard_normal((16, n)), "inverse": np.zeros((16, n))}
    launch = Launch("invert4", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("inverse",), rtol=1e-5, atol=1e-6)


def answer(problem):
    got = np.linalg.inv(problem.arrays["a"].T.reshape(-1, 4, 4))
    return {"inverse": np.ascontiguousarray(got.reshape(-1, 16).T)}
