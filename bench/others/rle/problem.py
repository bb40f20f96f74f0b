"""Run lengths of rows of 256 bytes: pairs of a length and a value, a row a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 4096}
SMALL = {"rows": 40}
ROW = 256


def make(rng, rows):
    fresh = rng.random((rows, ROW)) < 0.15
    fresh[:, 0] = True
    values = rng.integers(0, 256, rows * ROW, np.uint8)
    places = np.maximum.accumulate(np.where(fresh.ravel(), np.arange(rows * ROW), 0))
    arrays = {
        "x": values[places],
        "pairs": np.zeros(rows * ROW * 2, np.uint8),
        "count": np.zeros(rows, np.uint32),
    }
    return Problem(arrays, [Launch("rle", (np.uint32(rows), *arrays), (rows,))], ("pairs", "count"))


def answer(problem):
    a, rows = problem.arrays, problem.sizes.rows
    pairs, count = np.zeros((rows, ROW, 2), np.uint8), np.zeros(rows, np.uint32)
    for i, row in enumerate(a["x"].reshape(rows, ROW)):
        ends = np.append(np.flatnonzero(row[1:] != row[:-1]), ROW - 1)
        count[i] = len(ends)
        pairs[i, : len(ends)] = np.stack([np.diff(ends, prepend=-1), row[ends]], 1)
    return {"pairs": pairs.ravel(), "count": count}
