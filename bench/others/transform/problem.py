"""Points of four numbers by matrices of 4 x 4, one of each a work-item, in arrays of records."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 200}


def make(rng, n):
    arrays = {
        "matrix": rng.uniform(-1, 1, (n, 4, 4)).astype(np.float32),
        "point": rng.uniform(-1, 1, (n, 4)).astype(np.float32),
        "moved": np.zeros((n, 4), np.float32),
    }
    return Problem(arrays, [Launch("transform", (np.uint32(n), *arrays), (n,))], ("moved",))


def answer(problem):
    matrix, point = (problem.arrays[name].astype(np.float64) for name in ("matrix", "point"))
    return {"moved": (matrix @ point[:, :, None])[:, :, 0].astype(np.float32)}
