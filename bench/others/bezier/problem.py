"""Points on curves of eight control points in the plane, by de Casteljau's private arrays."""

import itertools

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 200}


def make(rng, n):
    arrays = {
        "px": rng.random((8, n), np.float32),
        "py": rng.random((8, n), np.float32),
        "t": rng.random(n, np.float32),
        "x": np.zeros(n, np.float32),
        "y": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("bezier", (np.uint32(n), *arrays), (n,))], ("x", "y"))


def answer(problem):
    a = problem.arrays
    t = a["t"].astype(np.float64)
    got = {}
    for name in "xy":
        points = list(a["p" + name].astype(np.float64))
        while len(points) > 1:
            points = [p + t * (q - p) for p, q in itertools.pairwise(points)]
        got[name] = points[0].astype(np.float32)
    return got
