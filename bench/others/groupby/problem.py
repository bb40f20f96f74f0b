"""Sums by key in a hash table of each workgroup, whose places are taken by compare and swap."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"groups": 64, "each": 16}
SMALL = {"groups": 2, "each": 2}
GROUP, KEYS = 256, 48


def make(rng, groups, each):
    items = groups * GROUP
    n = items * each
    arrays = {
        "key": rng.integers(0, KEYS, n, np.uint32),
        "value": rng.integers(0, 1000, n, np.uint32),
        "total": np.zeros(KEYS, np.uint32),
    }
    launch = Launch("groupby", (np.uint32(n), np.uint32(items), *arrays), (items,), (GROUP,))
    return Problem(arrays, [launch], ("total",))


def answer(problem):
    a = problem.arrays
    return {"total": np.bincount(a["key"], a["value"], KEYS).astype(np.uint32)}
