"""Triangles of a graph: common neighbours of an edge's ends, by merging two sorted lists."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "edges": 1 << 16}
SMALL = {"n": 60, "edges": 300}


def make(rng, n, edges):
    ends = np.sort(rng.integers(0, n, (2, edges)) ** 2 // n, axis=0)
    tails, heads = np.unique(ends[:, ends[0] < ends[1]], axis=1)
    arrays = {
        "row": np.append(0, np.bincount(tails, minlength=n).cumsum()).astype(np.uint32),
        "col": heads.astype(np.uint32),
        "tail": tails.astype(np.uint32),
        "count": np.zeros(tails.size, np.uint32),
    }
    launch = Launch("triangles", (np.uint32(tails.size), *arrays), (tails.size,))
    return Problem(arrays, [launch], ("count",))


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    has = np.zeros((n, n), bool)
    has[a["tail"], a["col"]] = True
    pairs = np.array_split(np.stack((a["tail"], a["col"])), 16, axis=1)
    counts = [(has[one] & has[other]).sum(1) for one, other in pairs]
    return {"count": np.concatenate(counts).astype(np.uint32)}
