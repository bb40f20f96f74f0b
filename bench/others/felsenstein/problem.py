"""The likelihood of a tree of eight species at each site of an alignment, by pruning."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 8192}
SMALL = {"n": 90}
LEAVES, NODES = 8, 15
CHILDREN = ((0, 1), (2, 3), (4, 5), (8, 9), (6, 7), (10, 12), (11, 13))


def make(rng, n):
    length = rng.random(NODES)[:, None, None] * 0.5
    change = (np.float32(0.25) * (1 - np.exp(-length))).astype(np.float32)
    arrays = {
        "child": np.array(CHILDREN, np.uint32),
        "change": (change + np.eye(4) * np.exp(-length)).astype(np.float32),
        "state": rng.integers(0, 4, (LEAVES, n), np.uint8),
        "likelihood": np.zeros(n, np.float32),
    }
    launch = Launch("felsenstein", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("likelihood",), rtol=1e-4)


def answer(problem):
    a = problem.arrays
    change = a["change"].astype(np.float64)
    partial = [np.eye(4)[s].T for s in a["state"]]
    for left, right in CHILDREN:
        partial.append((change[left] @ partial[left]) * (change[right] @ partial[right]))
    return {"likelihood": np.log2(partial[-1].mean(0)).astype(np.float32)}
