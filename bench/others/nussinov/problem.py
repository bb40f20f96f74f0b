"""Pairs in folded RNA (Nussinov; PolyBench): a strand a workgroup, by diagonals in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 64}
SMALL = {"n": 1}
LENGTH = 64


def make(rng, n):
    arrays = {"base": rng.integers(0, 4, (n, LENGTH), np.uint8), "pairs": np.zeros(n, np.uint32)}
    return Problem(
        arrays, [Launch("nussinov", (np.uint32(n), *arrays), (n * LENGTH,), (LENGTH,))], ("pairs",)
    )


def answer(problem):
    base = problem.arrays["base"].astype(int)
    best = np.zeros((len(base), LENGTH, LENGTH), int)
    for d in range(1, LENGTH):
        for i in range(LENGTH - d):
            j = i + d
            inner = best[:, i + 1, j - 1] if d > 1 else 0
            most = inner + (base[:, i] + base[:, j] == 3)
            sums = best[:, i, i:j] + best[:, i + 1 : j + 1, j]
            best[:, i, j] = np.maximum(most, sums.max(1))
    return {"pairs": best[:, 0, -1].astype(np.uint32)}
