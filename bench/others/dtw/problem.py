"""The distance of pairs of series of 32 numbers under dynamic time warping: a pair a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2048}
SMALL = {"n": 90}
LENGTH = 32


def make(rng, n):
    arrays = {
        "a": rng.random((LENGTH, n), np.float32),
        "b": rng.random((LENGTH, n), np.float32),
        "distance": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("dtw", (np.uint32(n), *arrays), (n,))], ("distance",))


def answer(problem):
    a, b = problem.arrays["a"], problem.arrays["b"]
    cost = np.full((LENGTH + 1, LENGTH + 1, a.shape[1]), np.inf, np.float32)
    cost[0, 0] = 0
    for i in range(LENGTH):
        for j in range(LENGTH):
            least = np.minimum(np.minimum(cost[i, j], cost[i, j + 1]), cost[i + 1, j])
            cost[i + 1, j + 1] = np.abs(a[i] - b[j]) + least
    return {"distance": cost[-1, -1]}
