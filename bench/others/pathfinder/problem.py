"""The cheapest way down a grid, some rows a launch with a ghost zone in group memory (Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"cols": 100_000, "rows": 21, "height": 5}
SMALL = {"cols": 500, "rows": 7, "height": 3}
GROUP = 256


def make(rng, cols, rows, height):
    arrays = {
        "wall": rng.integers(0, 10, (rows - 1, cols), np.int32),
        "a": rng.integers(0, 10, cols, np.int32),
        "b": np.zeros(cols, np.int32),
    }
    groups = -(-cols // (GROUP - 2 * height))
    launches, source, target = [], "a", "b"
    for row in range(0, rows - 1, height):
        numbers = (np.uint32(min(height, rows - 1 - row)), np.uint32(cols), np.uint32(row))
        arguments = (*numbers, np.uint32(height), "wall", source, target)
        launches.append(Launch("pathfinder", arguments, (groups * GROUP,), (GROUP,)))
        source, target = target, source
    return Problem(arrays, launches, ("a", "b"))


def answer(problem):
    cost, rows = problem.arrays["a"].copy(), problem.arrays["wall"]
    kept = {"a": cost, "b": problem.arrays["b"]}
    names = "ab"
    for index, launch in enumerate(problem.launches):
        first, count = int(launch.arguments[2]), int(launch.arguments[0])
        for row in rows[first : first + count]:
            left = np.concatenate([cost[:1], cost[:-1]])
            right = np.concatenate([cost[1:], cost[-1:]])
            cost = row + np.minimum(np.minimum(left, cost), right)
        kept[names[(index + 1) % 2]] = cost
    return kept
