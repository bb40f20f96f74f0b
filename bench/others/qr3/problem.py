"""QR factors of 3 x 3 matrices by modified Gram-Schmidt, a matrix a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 300}


def make(rng, n):
    a = rng.uniform(-1, 1, (n, 3, 3)).astype(np.float32) + 2 * np.eye(3, dtype=np.float32)
    arrays = {"a": a, "q": np.zeros_like(a), "r": np.zeros((n, 6), np.float32)}
    launch = Launch("qr3", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("q", "r"), rtol=1e-3, atol=1e-3)


def answer(problem):
    q, r = np.linalg.qr(problem.arrays["a"].astype(np.float64))
    sign = np.where(np.diagonal(r, 0, 1, 2) < 0, -1.0, 1.0)
    q, r = q * sign[:, None, :], r * sign[:, :, None]
    return {"q": q.astype(np.float32), "r": r[:, *np.triu_indices(3)].astype(np.float32)}
