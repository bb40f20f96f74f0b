"""Levels of a directed graph without cycles (Kahn): a launch a level, atomic counts of edges."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 20011, "degree": 5, "depth": 40}
SMALL = {"n": 131, "degree": 3, "depth": 8}


def make(rng, n, degree, depth):
    layer = np.sort(rng.integers(0, depth, n))
    begin = np.searchsorted(layer, np.arange(depth + 1))
    source = np.repeat(np.arange(n), rng.integers(0, 2 * degree, n))
    source = source[layer[source] < depth - 1]
    first = begin[layer[source] + 1]
    last = begin[np.minimum(layer[source] + 4, depth)]
    source, first, last = (a[last > first] for a in (source, first, last))
    target = rng.integers(first, last)
    left = np.bincount(target, minlength=n).astype(np.uint32)
    arrays = {
        "start": np.append(0, np.cumsum(np.bincount(source, minlength=n))).astype(np.uint32),
        "target": target.astype(np.uint32),
        "left": left,
        "level": np.where(left == 0, 0, -1).astype(np.int32),
        "again": np.zeros(1, np.uint32),
    }
    launches = [
        Launch("kahn", (np.uint32(n), np.int32(k), *arrays), (n,)) for k in range(depth + 1)
    ]
    return Problem(arrays, launches, ("left", "level"), "again")


def answer(problem):
    start, target, left, level, _ = problem.arrays.values()
    source = np.repeat(np.arange(len(level)), np.diff(start.astype(int)))
    out = level.copy()
    for k in range(len(problem.launches)):  # the longest path to each
        edges = out[source] == k
        np.maximum.at(out, target[edges], k + 1)
    return {"left": np.zeros_like(left), "level": out}
