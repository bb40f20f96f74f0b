"""Breadth-first search, a launch a level: lists of random length, gathers and scatters."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18, "edges": 1 << 21}
SMALL = {"n": 300, "edges": 1500}
MOST_LEVELS = 64


def make(rng, n, edges):
    degree = np.bincount(rng.integers(0, n, edges), minlength=n)
    level = np.full(n, -1, np.int32)
    level[degree.argmax()] = 0
    arrays = {
        "row": np.append(0, degree.cumsum()).astype(np.uint32),
        "col": rng.integers(0, n, edges, np.uint32),
        "level": level,
        "changed": np.zeros(1, np.uint32),
    }
    names = ("row", "col", "level")
    launches = [
        Launch("bfs", (np.uint32(n), *names, np.int32(current), "changed"), (n,))
        for current in range(MOST_LEVELS)
    ]
    return Problem(arrays, launches, ("level",), again="changed")


def answer(problem):
    row, col = problem.arrays["row"], problem.arrays["col"]
    tails = np.repeat(np.arange(problem.sizes.n), np.diff(row))
    level, current = problem.arrays["level"].copy(), 0
    while (found := col[level[tails] == current]).size:
        current += 1
        level[found[level[found] < 0]] = current
    return {"level": level}
