"""Vectors of three planes divided by their length: a root and three divisions."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 1000}


def make(rng, n):
    arrays = {name: rng.uniform(-1, 1, n).astype(np.float32) for name in "xyz"}
    return Problem(arrays, [Launch("normalise", (np.uint32(n), *arrays), (n,))], tuple("xyz"))


def answer(problem):
    place = np.stack([problem.arrays[name] for name in "xyz"]).astype(np.float64)
    place /= np.sqrt((place**2).sum(axis=0))
    return dict(zip("xyz", place.astype(np.float32), strict=True))
