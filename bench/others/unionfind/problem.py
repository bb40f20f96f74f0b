"""Union and find: an edge a work-item hooks roots by compare-and-swap, then paths are flattened."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 20_000, "edges": 24_000}
SMALL = {"n": 100, "edges": 90}


def make(rng, n, edges):
    arrays = {
        "source": rng.integers(0, n, edges, np.uint32),
        "target": rng.integers(0, n, edges, np.uint32),
        "parent": np.arange(n, dtype=np.uint32),
    }
    launches = [
        Launch("hook", (np.uint32(edges), *arrays), (edges,)),
        Launch("flatten", (np.uint32(n), "parent"), (n,)),
    ]
    return Problem(arrays, launches, ("parent",))


def answer(problem):
    a = problem.arrays
    label = a["parent"].copy()
    while True:
        least = np.minimum(label[a["source"]], label[a["target"]])
        new = label.copy()
        np.minimum.at(new, a["source"], least)
        np.minimum.at(new, a["target"], least)
        new = new[new]
        if np.array_equal(new, label):
            return {"parent": label}
        label = new
