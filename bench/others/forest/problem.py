"""A forest of decision trees on samples: each work-item walks down all trees for its sample."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4096, "trees": 32, "depth": 7, "features": 24}
SMALL = {"n": 60, "trees": 3, "depth": 3, "features": 5}


def make(rng, n, trees, depth, features):
    inner = (1 << depth) - 1
    arrays = {
        "feature": rng.integers(0, features, (trees, inner), np.uint32),
        "bound": rng.random((trees, inner), np.float32),
        "leaf": rng.random((trees, inner + 1), np.float32),
        "sample": rng.random((n, features), np.float32),
        "sum": np.zeros(n, np.float32),
    }
    numbers = (np.uint32(n), np.uint32(trees), np.uint32(inner), np.uint32(features))
    return Problem(arrays, [Launch("forest", (*numbers, *arrays), (n,))], ("sum",))


def answer(problem):
    a, sizes = problem.arrays, problem.sizes
    each, total = np.arange(sizes.n), np.zeros(sizes.n)
    for tree in range(sizes.trees):
        node = np.zeros(sizes.n, int)
        for _ in range(sizes.depth):
            value = a["sample"][each, a["feature"][tree, node]]
            node = 2 * node + 1 + (value > a["bound"][tree, node])
        total += a["leaf"][tree, node - (1 << sizes.depth) + 1]
    return {"sum": total.astype(np.float32)}
