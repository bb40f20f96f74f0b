"""The CUDA samples' box filter: sums that move along rows, then down columns, one a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 512, "radius": 8}
SMALL = {"size": 40, "radius": 3}


def make(rng, size, radius):
    arrays = {"image": rng.random((size, size), np.float32)}
    arrays |= {name: np.zeros((size, size), np.float32) for name in ("rows", "out")}
    launches = [
        Launch(name, (np.int32(size), np.int32(radius), a, b), (size,), (64,))
        for name, a, b in (("along", "image", "rows"), ("down", "rows", "out"))
    ]
    return Problem(arrays, launches, ("rows", "out"), rtol=1e-3, atol=1e-4)


def answer(problem):
    s = problem.sizes

    def means(a):
        sums = np.cumsum(np.pad(a, ((0, 0), (s.radius + 1, s.radius)), "edge"), axis=1)
        return (sums[:, 2 * s.radius + 1 :] - sums[:, : s.size]) / (2 * s.radius + 1)

    rows = means(problem.arrays["image"].astype(np.float64))
    return {"rows": rows.astype(np.float32), "out": means(rows.T).T.astype(np.float32)}
