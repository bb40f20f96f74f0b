"""Betweenness (Brandes): dependencies of nodes, from the last level of a search back up."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "edges": 1 << 17}
SMALL = {"n": 150, "edges": 500}


def make(rng, n, edges):
    a, b = rng.integers(0, n, (2, edges))
    tails, heads = np.append(a, b), np.append(b, a)
    order = tails.argsort(kind="stable")
    tails, heads = tails[order], heads[order]
    level, paths = np.full(n, n), np.zeros(n)
    level[0], paths[0] = 0, 1
    depth = 0
    while (level == depth).any():
        onward = (level[tails] == depth) & (level[heads] > depth)
        level[heads[onward]] = depth + 1
        paths += np.bincount(heads[onward], paths[tails[onward]], n)
        depth += 1
    arrays = {
        "row": np.append(0, np.bincount(tails, minlength=n).cumsum()).astype(np.uint32),
        "col": heads.astype(np.uint32),
        "level": level.astype(np.uint32),
        "paths": paths.astype(np.float32),
        "delta": np.zeros(n, np.float32),
    }
    launches = [
        Launch("brandes", (np.uint32(n), np.uint32(k), *arrays), (n,))
        for k in range(depth - 2, -1, -1)
    ]
    return Problem(arrays, launches, ("delta",), rtol=1e-4)


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    tails, heads = np.repeat(np.arange(n), np.diff(a["row"])), a["col"]
    level, paths = a["level"].astype(int), a["paths"].astype(np.float64)
    delta = np.zeros(n)
    for launch in problem.launches:
        below = (level[tails] == launch.arguments[1]) & (level[heads] == launch.arguments[1] + 1)
        v, w = tails[below], heads[below]
        delta += np.bincount(v, paths[v] / paths[w] * (1 + delta[w]), n)
    return {"delta": delta.astype(np.float32)}
