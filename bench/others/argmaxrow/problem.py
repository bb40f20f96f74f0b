"""The place of the largest number of each row, a row a workgroup: a tree of pairs."""

import numpy as np
from peers.problem import Launch, Problem

GROUP = 128
FULL = {"rows": 1500, "columns": 1000}
SMALL = {"rows": 5, "columns": 290}


def make(rng, rows, columns):
    arrays = {
        "x": rng.integers(-500, 500, (rows, columns)).astype(np.float32),
        "place": np.zeros(rows, np.uint32),
    }
    sizes = np.uint32(rows), np.uint32(columns)
    launch = Launch("argmaxrow", (*sizes, *arrays), (rows * GROUP,), (GROUP,))
    return Problem(arrays, [launch], ("place",))


def answer(problem):
    return {"place": problem.arrays["x"].argmax(1).astype(np.uint32)}
