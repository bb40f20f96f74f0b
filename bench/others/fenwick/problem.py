"""Sums of ranges by a Fenwick tree, a range a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "size": 1 << 16}
SMALL = {"n": 200, "size": 300}


def make(rng, n, size):
    tree = np.append(np.uint32(0), rng.integers(0, 1000, size, np.uint32))
    for k in range(1, size + 1):
        above = k + (k & -k)
        if above <= size:
            tree[above] += tree[k]
    ends = np.sort(rng.integers(0, size + 1, (2, n), np.uint32), 0)
    arrays = {"tree": tree, "first": ends[0], "last": ends[1], "total": np.zeros(n, np.uint32)}
    return Problem(arrays, [Launch("fenwick", (np.uint32(n), *arrays), (n,))], ("total",))


def answer(problem):
    a = problem.arrays

    def before(k):
        k, total = k.copy(), np.zeros(len(k), np.uint32)
        while k.any():
            total += a["tree"][k] * (k > 0)
            k &= k - np.uint32(1) * (k > 0)
        return total

    return {"total": before(a["last"]) - before(a["first"])}
