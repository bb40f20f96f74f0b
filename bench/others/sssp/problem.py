"""Shortest paths from one node: relaxations of all edges by atomic minimum, until none changes."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "edges": 1 << 19}
SMALL = {"n": 200, "edges": 900}
MOST_LAUNCHES = 64
FAR = np.uint32(0xFFFFFFFF)


def make(rng, n, edges):
    degree = np.bincount(rng.integers(0, n, edges), minlength=n)
    dist = np.full(n, FAR)
    dist[degree.argmax()] = 0
    arrays = {
        "row": np.append(0, degree.cumsum()).astype(np.uint32),
        "col": rng.integers(0, n, edges, np.uint32),
        "weight": rng.integers(1, 100, edges, np.uint32),
        "dist": dist,
        "changed": np.zeros(1, np.uint32),
    }
    launch = Launch("sssp", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch] * MOST_LAUNCHES, ("dist",), again="changed")


def answer(problem):
    a = problem.arrays
    tails = np.repeat(np.arange(problem.sizes.n), np.diff(a["row"]))
    before, dist = None, a["dist"].astype(np.uint64)
    while before is None or (before != dist).any():
        before = dist.copy()
        reached = dist[tails] != FAR
        heads, length = a["col"][reached], (dist[tails] + a["weight"])[reached]
        np.minimum.at(dist, heads, length)
    return {"dist": dist.astype(np.uint32)}
