"""Propagation of labels: each vertex takes the most frequent label of its neighbours."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 3000}
SMALL = {"n": 200}


def make(rng, n):
    sizes = rng.integers(0, 10, n)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    arrays = {
        "first": first,
        "ends": rng.integers(0, n, first[-1], np.uint32),
        "label": rng.integers(0, 9, n, np.uint32),
        "chosen": np.zeros(n, np.uint32),
    }
    launch = Launch("labelprop", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("chosen",))


def answer(problem):
    a = problem.arrays
    n = len(a["label"])
    vertex = np.repeat(np.arange(n), np.diff(a["first"].astype(np.int64)))
    counts = np.zeros((n, 9), np.int64)
    np.add.at(counts, (vertex, a["label"][a["ends"]]), 1)
    chosen = np.where(counts.any(1), counts.argmax(1), a["label"])
    return {"chosen": chosen.astype(np.uint32)}
