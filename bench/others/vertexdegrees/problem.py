"""Degrees of vertices by atomic additions for each end of an edge."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"vertices": 1 << 16, "edges": 1 << 18}
SMALL = {"vertices": 64, "edges": 600}


def make(rng, vertices, edges):
    arrays = {
        "source": rng.integers(0, vertices, edges, np.uint32),
        "target": rng.integers(0, vertices, edges, np.uint32),
        "degree": np.zeros(vertices, np.uint32),
    }
    return Problem(arrays, [Launch("vertexdegrees", (np.uint32(edges), *arrays), (edges,))], ("degree",))


def answer(problem):
    a, vertices = problem.arrays, problem.sizes.vertices
    ends = np.concatenate([a["source"], a["target"]])
    return {"degree": np.bincount(ends, minlength=vertices).astype(np.uint32)}
