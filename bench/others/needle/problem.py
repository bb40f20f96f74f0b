"""Global alignment of two sequences by tiles of 16 x 16, a diagonal of tiles a launch (Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"tiles": 24}
SMALL = {"tiles": 2}
TILE, PENALTY = 16, 10


def make(rng, tiles):
    n = tiles * TILE
    items = np.zeros((n + 1, n + 1), np.int32)
    items[0] = items[:, 0] = -PENALTY * np.arange(n + 1)
    arrays = {"reference": rng.integers(-4, 12, (n + 1, n + 1), np.int32), "items": items}
    launches = []
    for diagonal in range(2 * tiles - 1):
        first = max(0, diagonal - tiles + 1)
        count = min(diagonal, tiles - 1) - first + 1
        scalars = map(np.uint32, (n + 1, diagonal, first, count))
        launches.append(Launch("needle", (*scalars, *arrays), (count * TILE,), (TILE,)))
    return Problem(arrays, launches, ("items",))


def answer(problem):
    reference, items = problem.arrays["reference"], problem.arrays["items"].copy()
    n = len(items) - 1
    for d in range(2, 2 * n + 1):
        i = np.arange(max(1, d - n), min(n, d - 1) + 1)
        j = d - i
        gap = np.maximum(items[i - 1, j], items[i, j - 1]) - PENALTY
        items[i, j] = np.maximum(items[i - 1, j - 1] + reference[i, j], gap)
    return {"items": items}
