"""y = a x + y in f32: streams memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 24}
SMALL = {"n": 1000}
A = np.float32(0.75)


def make(rng, n):
    arrays = {"x": rng.random(n, np.float32), "y": rng.random(n, np.float32)}
    return Problem(arrays, [Launch("saxpy", (A, np.uint32(n), "x", "y"), (n,))], ("y",))


def answer(problem):
    return {"y": A * problem.arrays["x"] + problem.arrays["y"]}
