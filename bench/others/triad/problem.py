"""STREAM's triad in f64: a = b + s * c, bound by memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 20}
SMALL = {"n": 1000}
SCALE = np.float64(3)


def make(rng, n):
    arrays = {"a": np.zeros(n), "b": rng.random(n), "c": rng.random(n)}
    return Problem(arrays, [Launch("triad", (np.uint32(n), SCALE, *arrays), (n,))], ("a",))


def answer(problem):
    return {"a": problem.arrays["b"] + SCALE * problem.arrays["c"]}
