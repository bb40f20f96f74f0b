"""Eigenvalues of a symmetric 3 x 3 matrix a work-item, by Jacobi's rotations in a private array."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 192 * 200}
SMALL = {"n": 100}


def make(rng, n):
    a = rng.standard_normal((n, 3, 3)).astype(np.float32)
    a = a + a.transpose(0, 2, 1)
    arrays = {
        "a": np.ascontiguousarray(a.reshape(n, 9).T),
        "values": np.zeros((3, n), np.float32),
    }
    launch = Launch("eigen3", (np.uint32(n), *arrays), (n,), (192,))
    return Problem(arrays, [launch], ("values",), rtol=1e-3, atol=1e-3)


def answer(problem):
    """The values are sorted."""
    a = problem.arrays["a"].T.reshape(-1, 3, 3).astype(np.float64)
    return {"values": np.ascontiguousarray(np.linalg.eigvalsh(a).T.astype(np.float32))}
