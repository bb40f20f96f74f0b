"""Look-ups in a B+tree of 16 children a node, whose keys are compared one after the other."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "levels": 4}
SMALL = {"n": 100, "levels": 2}
CHILDREN, GROUP = 16, 192


def make(rng, n, levels):
    leaves = CHILDREN**levels
    lowest = np.sort(rng.choice(1 << 24, leaves, replace=False).astype(np.uint32))
    node = [
        lowest.reshape(CHILDREN**level, CHILDREN, -1)[:, 1:, 0].ravel() for level in range(levels)
    ]
    arrays = {
        "node": np.concatenate(node),
        "key": rng.integers(0, 1 << 24, n, np.uint32),
        "leaf": np.zeros(n, np.uint32),
    }
    launch = Launch("btree", (np.uint32(n), np.uint32(levels), *arrays), (n,), (GROUP,))
    return Problem(arrays, [launch], ("leaf",))


def answer(problem):
    a = problem.arrays
    separators = np.sort(a["node"])
    return {"leaf": np.searchsorted(separators, a["key"], "right").astype(np.uint32)}
