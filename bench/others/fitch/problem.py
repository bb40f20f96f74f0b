"""Fitch's parsimony: the least number of changes on a tree, for many sites of aligned sequences."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 20011}
SMALL = {"n": 203}


def make(rng, n):
    ready, child = list(range(32)), []
    for node in range(32, 63):
        a, b = (ready.pop(rng.integers(len(ready))) for _ in range(2))
        child.append((a, b))
        ready.append(node)
    usual, letter = rng.integers(0, 4, n), rng.integers(0, 4, (32, n))
    letter = np.where(rng.random((32, n)) < 0.7, usual, letter)
    arrays = {
        "leaf": (1 << letter).astype(np.uint8),
        "child": np.array(child, np.uint32),
        "changes": np.zeros(n, np.uint8),
    }
    return Problem(arrays, [Launch("fitch", (np.uint32(n), *arrays), (n,))], ("changes",))


def answer(problem):
    leaf, child, changes = problem.arrays.values()
    sets, changes = list(leaf), changes.copy()
    for a, b in child:
        both = sets[a] & sets[b]
        changes += both == 0
        sets.append(np.where(both, both, sets[a] | sets[b]))
    return {"changes": changes}
