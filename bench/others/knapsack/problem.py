"""Knapsacks by dynamic programming in group memory: 192 capacities, a problem a workgroup."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"problems": 192, "items": 48}
SMALL = {"problems": 2, "items": 5}
GROUP = 192


def make(rng, problems, items):
    arrays = {
        "weight": rng.integers(1, 60, (problems, items), np.uint32),
        "value": rng.integers(1, 1000, (problems, items), np.uint32),
        "best": np.zeros((problems, GROUP), np.uint32),
    }
    n = problems * GROUP
    launch = Launch("knapsack", (np.uint32(n), np.uint32(items), *arrays), (n,), (GROUP,))
    return Problem(arrays, [launch], ("best",))


def answer(problem):
    a = problem.arrays
    best = np.zeros_like(a["best"])
    for row, weights, values in zip(best, a["weight"].tolist(), a["value"], strict=True):
        for weight, value in zip(weights, values, strict=True):
            row[weight:] = np.maximum(row[weight:], row[:-weight] + value)
    return {"best": best}
