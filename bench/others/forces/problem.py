"""Forces between particles, from a list of neighbours for each particle of its own length."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "side": 10}
SMALL = {"n": 150, "side": 3}


def make(rng, n, side):
    place = rng.random((n, 3), np.float32) * np.float32(side)
    reach = 1.0
    cell = place.astype(np.int64)
    order = np.lexsort(cell.T)
    place, cell = place[order], cell[order]
    lists = []
    for i in range(n):
        near = np.flatnonzero(np.abs(cell - cell[i]).max(1) <= 1)
        apart = ((place[near] - place[i]) ** 2).sum(1)
        lists.append(near[(apart < reach) & (near != i)])
    arrays = {
        "x": place[:, 0].copy(),
        "y": place[:, 1].copy(),
        "z": place[:, 2].copy(),
        "start": np.append(0, np.cumsum([len(each) for each in lists])).astype(np.uint32),
        "other": np.concatenate(lists).astype(np.uint32),
        "fx": np.zeros(n, np.float32),
        "fy": np.zeros(n, np.float32),
        "fz": np.zeros(n, np.float32),
    }
    launch = Launch("forces", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("fx", "fy", "fz"), rtol=1e-4, atol=1e-4)


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    own = np.repeat(np.arange(n), np.diff(a["start"]))
    apart = [a[k][own].astype(np.float64) - a[k][a["other"]] for k in "xyz"]
    size = 1 / (sum(d * d for d in apart) + 0.01)
    sums = [np.bincount(own, d * size, n).astype(np.float32) for d in apart]
    return dict(zip(("fx", "fy", "fz"), sums, strict=True))
