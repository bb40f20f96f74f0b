"""Look-ups in a B-tree of fifteen keys a node: compare all keys of a node, then go down."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15, "levels": 4}
SMALL = {"n": 150, "levels": 2}
KEYS = 15


def make(rng, n, levels):
    total = 16**levels - 1
    keys = np.cumsum(rng.integers(1, 9, total)).astype(np.uint32)
    nodes = []
    for level in range(levels):
        step = 16 ** (levels - 1 - level)
        picked = keys[step - 1 :: step]
        nodes.append(np.delete(picked, np.arange(KEYS, len(picked), KEYS + 1)))
    arrays = {
        "keys": np.concatenate(nodes),
        "query": rng.integers(0, int(keys[-1]) + 5, n, np.uint32),
        "place": np.full(n, 1 << 30, np.uint32),
    }
    return Problem(
        arrays, [Launch("btree", (np.uint32(n), np.uint32(levels), *arrays), (n,))], ("place",)
    )


def answer(problem):
    keys = np.sort(problem.arrays["keys"])
    return {"place": np.searchsorted(keys, problem.arrays["query"]).astype(np.uint32)}
