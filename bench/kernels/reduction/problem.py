"""A sum as a tree in group memory, a launch for each factor of 256."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 22}
SMALL = {"n": 1000}
GROUP = 256


def make(rng, n):
    arrays, launches, name = {"x": rng.integers(0, 1 << 32, n, np.uint32)}, [], "x"
    while n > 1:
        groups = -(-n // GROUP)
        target = "total" if groups == 1 else f"sums{groups}"
        arrays[target] = np.zeros(groups, np.uint32)
        launches.append(Launch("reduction", (np.uint32(n), name, target), (n,), (GROUP,)))
        n, name = groups, target
    return Problem(arrays, launches, ("total",))


def answer(problem):
    return {"total": problem.arrays["x"].sum(dtype=np.uint32, keepdims=True)}
