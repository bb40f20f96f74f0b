"""The cheapest paths through rows of a grid, eight rows a launch in group memory (Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"columns": 1 << 14, "launches": 8}
SMALL = {"columns": 250, "launches": 2}
GROUP, ROWS = 256, 8
INNER = GROUP - 2 * ROWS


def make(rng, columns, launches):
    arrays = {
        "wall": rng.integers(0, 10, (ROWS * launches, columns), np.int32),
        "here": rng.integers(0, 10, columns, np.int32),
        "there": np.zeros(columns, np.int32),
    }
    items = -(-columns // INNER) * GROUP
    names = ("here", "there")
    each = [
        Launch(
            "pathfinder",
            (np.uint32(columns), np.uint32(step * ROWS), "wall", *names[:: 1 - 2 * (step % 2)]),
            (items,),
        )
        for step in range(launches)
    ]
    return Problem(arrays, each, ("here", "there"))


def answer(problem):
    a = problem.arrays
    row, rows = a["here"], {}
    for step, cost in enumerate(a["wall"], 1):
        padded = np.pad(row, 1, mode="edge")
        row = cost + np.minimum(np.minimum(padded[:-2], row), padded[2:])
        if step % ROWS == 0:
            rows["here" if step // ROWS % 2 == 0 else "there"] = row
    return rows
