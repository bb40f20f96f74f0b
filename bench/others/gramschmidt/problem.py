"""QR decompositions of 4 x 4 matrices by modified Gram-Schmidt, a matrix a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 60}


def make(rng, n):
    """Matrices that are far from singular."""
    a = rng.uniform(-1, 1, (16, n)) + 3 * np.eye(4).reshape(16, 1)
    arrays = {"a": a.astype(np.float32), "r": np.zeros((16, n), np.float32)}
    launch = Launch("gramschmidt", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("a", "r"), rtol=1e-3, atol=1e-4)


def answer(problem):
    q, r = np.linalg.qr(problem.arrays["a"].T.reshape(-1, 4, 4).astype(np.float64))
    signs = np.sign(np.diagonal(r, axis1=1, axis2=2))
    q, r = q * signs[:, None, :], r * signs[:, :, None]
    flat = {"a": q, "r": np.triu(r)}
    return {
        k: np.ascontiguousarray(v.reshape(-1, 16).T.astype(np.float32)) for k, v in flat.items()
    }
