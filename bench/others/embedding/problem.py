"""Sums of rows of a table that lists of numbers name, a work-item a bag and a column."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"bags": 2048, "rows": 1 << 14, "columns": 32, "longest": 32}
SMALL = {"bags": 20, "rows": 64, "columns": 8, "longest": 6}


def make(rng, bags, rows, columns, longest):
    length = rng.integers(1, longest, bags)
    arrays = {
        "start": np.append(0, length.cumsum()).astype(np.uint32),
        "name": rng.integers(0, rows, length.sum(), np.uint32),
        "table": rng.random((rows, columns), np.float32),
        "sum": np.zeros((bags, columns), np.float32),
    }
    numbers = (np.uint32(bags), np.uint32(columns))
    launch = Launch("embedding", (*numbers, *arrays), (columns, bags), (columns, 8))
    return Problem(arrays, [launch], ("sum",))


def answer(problem):
    a = problem.arrays
    rows = a["table"][a["name"]].astype(np.float64)
    sums = np.zeros((len(rows) + 1, rows.shape[1]))
    np.cumsum(rows, 0, out=sums[1:])
    return {"sum": np.diff(sums[a["start"]], axis=0).astype(np.float32)}
