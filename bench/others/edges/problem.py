"""Lengths of the edges of a mesh: each work-item loads two corners by their numbers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"corners": 1 << 13, "edges": 1 << 17}
SMALL = {"corners": 50, "edges": 300}


def make(rng, corners, edges):
    arrays = {
        "edge": rng.integers(0, corners, (edges, 2), np.uint32),
        "place": rng.random((corners, 3), np.float32),
        "length": np.zeros(edges, np.float32),
    }
    return Problem(arrays, [Launch("edges", (np.uint32(edges), *arrays), (edges,))], ("length",))


def answer(problem):
    first, second = problem.arrays["place"].astype(float)[problem.arrays["edge"].T]
    return {"length": np.linalg.norm(first - second, axis=1).astype(np.float32)}
