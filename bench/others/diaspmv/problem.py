"""A sparse matrix of diagonals times a vector, f64: places outside of the vector are left out."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 300}


def make(rng, n):
    far = int(np.sqrt(n))
    offsets = np.array([-far - 1, -far, -far + 1, -1, 0, 1, far - 1, far, far + 1], np.int32)
    arrays = {
        "offsets": offsets,
        "values": rng.uniform(-1, 1, (len(offsets), n)),
        "x": rng.uniform(-1, 1, n),
        "y": np.zeros(n),
    }
    launch = Launch("diaspmv", (np.uint32(n), np.uint32(len(offsets)), *arrays), (n,))
    return Problem(arrays, [launch], ("y",), rtol=1e-9)


def answer(problem):
    a = problem.arrays
    n = len(a["x"])
    at = np.arange(n) + a["offsets"][:, None]
    inside = (at >= 0) & (at < n)
    return {"y": np.where(inside, a["values"] * a["x"][np.clip(at, 0, n - 1)], 0).sum(axis=0)}
