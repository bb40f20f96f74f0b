"""Local alignment of two sequences by anti-diagonals, a launch each (Smith-Waterman)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 512}
SMALL = {"n": 24}


def make(rng, n):
    arrays = {
        "a": rng.integers(0, 4, n, np.uint8),
        "b": rng.integers(0, 4, n, np.uint8),
        "score": np.zeros((n + 1, n + 1), np.int32),
    }
    launches = [
        Launch("smithwaterman", (np.uint32(n), np.uint32(d), *arrays), (n,))
        for d in range(2, 2 * n + 1)
    ]
    return Problem(arrays, launches, ("score",))


def answer(problem):
    n, score = problem.sizes.n, problem.arrays["score"].copy()
    for d in range(2, 2 * n + 1):
        i = np.arange(max(1, d - n), min(n, d - 1) + 1)
        j = d - i
        match = np.where(problem.arrays["a"][i - 1] == problem.arrays["b"][j - 1], 3, -2)
        best = np.maximum(score[i - 1, j - 1] + match, 0)
        score[i, j] = np.maximum(best, np.maximum(score[i - 1, j], score[i, j - 1]) - 1)
    return {"score": score}
