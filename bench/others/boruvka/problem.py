"""Boruvka's minimum spanning tree, a step: the lightest edge that leaves each part."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"edges": 40000, "nodes": 8000, "parts": 500}
SMALL = {"edges": 300, "nodes": 80, "parts": 10}


def make(rng, edges, nodes, parts):
    arrays = {
        "from": rng.integers(0, nodes, edges, np.uint32),
        "to": rng.integers(0, nodes, edges, np.uint32),
        "weight": rng.permutation(edges).astype(np.uint32),
        "part": rng.integers(0, parts, nodes, np.uint32),
        "least": np.full(parts, 0xFFFFFFFF, np.uint32),
    }
    launch = Launch("boruvka", (np.uint32(edges), *arrays), (edges,))
    return Problem(arrays, [launch], ("least",))


def answer(problem):
    from_, to, weight, part, least = problem.arrays.values()
    least = least.copy()
    a, b = part[from_], part[to]
    for side in (a, b):
        np.minimum.at(least, side[a != b], weight[a != b])
    return {"least": least}
