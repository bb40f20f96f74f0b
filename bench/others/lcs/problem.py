"""The longest common subsequence of pairs of 64 letters, by diagonals in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"pairs": 256}
SMALL = {"pairs": 2}
LENGTH = 64


def make(rng, pairs):
    arrays = {
        "a": rng.integers(0, 4, (pairs, LENGTH), np.uint8),
        "b": rng.integers(0, 4, (pairs, LENGTH), np.uint8),
        "length": np.zeros(pairs, np.uint32),
    }
    n = pairs * LENGTH
    launch = Launch("lcs", (np.uint32(pairs), *arrays), (n,), (LENGTH,))
    return Problem(arrays, [launch], ("length",))


def answer(problem):
    a, b = problem.arrays["a"], problem.arrays["b"]
    row = np.zeros((len(a), LENGTH + 1), np.uint32)
    for i in range(LENGTH):
        before, row = row, np.zeros_like(row)
        for j in range(LENGTH):
            longer = np.maximum(before[:, j + 1], row[:, j])
            row[:, j + 1] = np.where(a[:, i] == b[:, j], before[:, j] + 1, longer)
    return {"length": row[:, LENGTH]}
