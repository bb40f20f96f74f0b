"""Cholesky's decomposition of a symmetric 6 x 6 matrix a work-item, then a system solved."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 100}


def make(rng, n):
    a = rng.standard_normal((n, 6, 6)).astype(np.float32)
    a = a @ a.transpose(0, 2, 1) + 6 * np.eye(6, dtype=np.float32)
    arrays = {
        "a": np.ascontiguousarray(a.reshape(n, 36).T),
        "b": rng.standard_normal((6, n)).astype(np.float32),
        "x": np.zeros((6, n), np.float32),
    }
    launch = Launch("cholesky", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("x",), rtol=1e-3, atol=1e-4)


def answer(problem):
    a, b = (problem.arrays[name].T.astype(np.float64) for name in "ab")
    x = np.linalg.solve(a.reshape(-1, 6, 6), b[:, :, None])[:, :, 0]
    return {"x": np.ascontiguousarray(x.T.astype(np.float32))}
