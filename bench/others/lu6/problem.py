"""LU factors of matrices of 6 x 6 with pivoting, a matrix a work-item, in a private array."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4096}
SMALL = {"n": 50}
ORDER = 6


def make(rng, n):
    arrays = {
        "a": rng.uniform(-1, 1, (n, ORDER, ORDER)).astype(np.float32),
        "lu": np.zeros((n, ORDER, ORDER), np.float32),
        "swaps": np.zeros((n, ORDER), np.int32),
    }
    launch = Launch("lu6", (np.uint32(n), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("lu", "swaps"), rtol=1e-2, atol=1e-3, differing=0.001)


def answer(problem):
    a = problem.arrays["a"].astype(np.float64)
    every, swaps = np.arange(len(a)), np.zeros((len(a), ORDER), np.int32)
    for k in range(ORDER):
        pivot = k + np.abs(a[:, k:, k]).argmax(1)
        swaps[:, k] = pivot
        upper = a[every, pivot].copy()
        a[every, pivot] = a[:, k]
        a[:, k] = upper
        a[:, k + 1 :, k] /= a[:, k, k, None]
        a[:, k + 1 :, k + 1 :] -= a[:, k + 1 :, k, None] * a[:, None, k, k + 1 :]
    return {"lu": a.astype(np.float32), "swaps": swaps}
