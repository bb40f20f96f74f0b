"""Eigenvalues of symmetric 3 x 3 matrices, f64: four sweeps of Jacobi's rotations a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 80}


def make(rng, n):
    a = rng.standard_normal((n, 3, 3))
    a = a + a.transpose(0, 2, 1)
    arrays = {"a": np.ascontiguousarray(a.reshape(n, 9).T), "values": np.zeros((3, n))}
    launch = Launch("jacobi3", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("values",), rtol=1e-6, atol=1e-6)


def wrong(got, expected, _problem):
    # Eigenvalues come in any order.
    got, expected = (np.sort(v.reshape(3, -1), axis=0).ravel() for v in (got, expected))
    return ~np.isclose(got, expected, rtol=1e-6, atol=1e-6)


def answer(problem):
    values = np.linalg.eigvalsh(problem.arrays["a"].T.reshape(-1, 3, 3))
    return {"values": np.ascontiguousarray(values.T)}
