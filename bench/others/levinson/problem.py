"""Linear prediction by Levinson and Durbin's recursion, order 10, a frame of sound a work-item."""

import numpy as np
from peers.problem import Launch, Problem

ORDER = 10
FULL = {"n": 1 << 16}
SMALL = {"n": 100}


def make(rng, n):
    sound = rng.normal(0, 1, (n, 64))
    sound[:, 1:] += 0.6 * sound[:, :-1]
    spread = [(sound[:, : 64 - k] * sound[:, k:]).sum(axis=1) for k in range(ORDER + 1)]
    arrays = {
        "spread": np.array(spread, np.float32),
        "predictor": np.zeros((ORDER, n), np.float32),
    }
    return Problem(
        arrays,
        [Launch("levinson", (np.uint32(n), *arrays), (n,))],
        ("predictor",),
        rtol=1e-3,
        atol=1e-3,
    )


def answer(problem):
    r = problem.arrays["spread"].astype(np.float64)
    a, error = np.zeros_like(r), r[0].copy()
    for m in range(1, ORDER + 1):
        k = -(r[m] + sum(a[j] * r[m - j] for j in range(1, m))) / error
        a[1:m] += k * a[1:m][::-1].copy()
        a[m] = k
        error *= 1 - k * k
    return {"predictor": a[1:].astype(np.float32)}
