"""The shortest ways between all pairs of vertices, a launch for each vertex on the way."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 128}
SMALL = {"n": 20}


def make(rng, n):
    length = rng.integers(1, 1000, (n, n)).astype(np.uint32)
    length[rng.random((n, n)) < 0.8] = 1 << 20
    np.fill_diagonal(length, 0)
    arrays = {"length": length}
    launches = [
        Launch("floyd", (np.uint32(n), np.uint32(k), "length"), (n, n), (64, 4)) for k in range(n)
    ]
    return Problem(arrays, launches, ("length",))


def answer(problem):
    length = problem.arrays["length"].copy()
    for k in range(len(length)):
        length = np.minimum(length, length[:, k, None] + length[k])
    return {"length": length}
