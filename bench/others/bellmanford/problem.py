"""Shortest paths by Bellman and Ford: an edge a work-item, until no distance becomes less."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"nodes": 1 << 13, "edges": 1 << 16}
SMALL = {"nodes": 60, "edges": 240}
FAR = np.uint32(0xFFFFFFFF)


def make(rng, nodes, edges):
    distance = np.full(nodes, FAR, np.uint32)
    distance[0] = 0
    arrays = {
        "from": rng.integers(0, nodes, edges, np.uint32),
        "to": rng.integers(0, nodes, edges, np.uint32),
        "weight": rng.integers(1, 100, edges, np.uint32),
        "distance": distance,
        "again": np.zeros(1, np.uint32),
    }
    launch = Launch("bellmanford", (np.uint32(edges), *arrays), (edges,))
    return Problem(arrays, [launch] * 60, ("distance",), again="again")


def answer(problem):
    a = problem.arrays
    distance = a["distance"].astype(np.int64)
    distance[distance == FAR] = 1 << 40
    while True:
        nearer = distance.copy()
        np.minimum.at(nearer, a["to"], distance[a["from"]] + a["weight"])
        if (nearer == distance).all():
            return {"distance": np.minimum(distance, FAR).astype(np.uint32)}
        distance = nearer
