"""LU decomposition in blocks of 16 x 16: corner, edges, the rest (Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 256}
SMALL = {"n": 48}
SIDE = 16


def make(rng, n):
    a = rng.random((n, n), np.float32) + n * np.eye(n, dtype=np.float32)
    launches = []
    for first in range(0, n, SIDE):
        arguments = (np.uint32(n), np.uint32(first), "a")
        rest = (n - first) // SIDE - 1
        launches.append(Launch("diagonal", arguments, (SIDE,), (SIDE,)))
        if rest:
            launches.append(Launch("perimeter", arguments, (rest * 2 * SIDE,), (2 * SIDE,)))
            launches.append(Launch("internal", arguments, (rest * SIDE, rest * SIDE), (SIDE, SIDE)))
    return Problem({"a": a}, launches, ("a",), rtol=1e-3, atol=1e-4)


def answer(problem):
    a = problem.arrays["a"].astype(np.float64)
    for k in range(len(a)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return {"a": a.astype(np.float32)}
