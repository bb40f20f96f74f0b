"""Connected components: each node takes the least label of its neighbours, until none changes."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "edges": 1 << 18}
SMALL = {"n": 200, "edges": 260}
MOST_LAUNCHES = 64


def make(rng, n, edges):
    one, other = rng.integers(0, n, (2, edges))
    tails, heads = np.append(one, other), np.append(other, one)
    order = tails.argsort(kind="stable")
    degree = np.bincount(tails, minlength=n)
    arrays = {
        "row": np.append(0, degree.cumsum()).astype(np.uint32),
        "col": heads[order].astype(np.uint32),
        "label": np.arange(n, dtype=np.uint32),
        "changed": np.zeros(1, np.uint32),
    }
    launch = Launch("labels", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch] * MOST_LAUNCHES, ("label",), again="changed")


def answer(problem):
    a = problem.arrays
    tails = np.repeat(np.arange(problem.sizes.n), np.diff(a["row"]))
    before, label = None, a["label"].copy()
    while before is None or (before != label).any():
        before = label.copy()
        np.minimum.at(label, tails, before[a["col"]])
    return {"label": label}
