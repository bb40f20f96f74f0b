"""Transitive closures of graphs of 64 nodes (Warshall): rows of 64 bits, a barrier a node."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"graphs": 200}
SMALL = {"graphs": 3}


def make(rng, graphs):
    edges = rng.random((graphs, 64, 64)) < 1.2 / 64
    rows = np.packbits(edges, axis=-1, bitorder="little").view(np.uint64)[..., 0]
    arrays = {"from": rows.copy(), "to": np.zeros_like(rows)}
    launch = Launch("closure", (*arrays, np.uint32(graphs)), (graphs * 64,), (64,))
    return Problem(arrays, [launch], ("to",))


def answer(problem):
    rows = problem.arrays["from"].copy()
    for k in range(64):
        has = (rows >> np.uint64(k) & np.uint64(1)) != 0
        rows = np.where(has, rows | rows[:, k : k + 1], rows)
    return {"to": rows}
