"""Powers of integers by squaring; exponents differ."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 30000}
SMALL = {"n": 300}


def make(rng, n):
    arrays = {
        "base": rng.integers(0, 1 << 32, n, np.uint32),
        "power": rng.integers(0, 1 << 16, n, np.uint32) >> rng.integers(0, 16, n, np.uint32),
        "y": np.zeros(n, np.uint32),
    }
    launch = Launch("powint", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    base, power, _ = problem.arrays.values()
    return {"y": base**power}
