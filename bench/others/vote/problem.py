"""Steps of the Collatz sequence: a warp goes on until none of its lanes has steps left."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 200}
GROUP = 256


def make(rng, n):
    arrays = {"x": rng.integers(1, 1 << 16, n, np.uint32), "steps": np.zeros(n, np.uint32)}
    launch = Launch("vote", (np.uint32(n), *arrays), (n,), (GROUP,))
    return Problem(arrays, [launch], ("steps",))


def answer(problem):
    x = problem.arrays["x"].astype(np.uint64)
    steps = np.zeros(len(x), np.uint32)
    while (x != 1).any():
        on = x != 1
        steps += on
        x = np.where(on, np.where(x & 1, 3 * x + 1, x // 2), x)
    return {"steps": steps}
