"""A sparse matrix in CSR times eight dense columns, a work-item an element of the product."""

import numpy as np
from peers.problem import Launch, Problem

COLUMNS = 8
FULL = {"n": 1 << 14, "entries": 1 << 18}
SMALL = {"n": 40, "entries": 300}


def make(rng, n, entries):
    length = np.bincount(rng.integers(0, n, entries), minlength=n)
    arrays = {
        "row": np.append(0, length.cumsum()).astype(np.uint32),
        "col": rng.integers(0, n, entries, np.uint32),
        "value": rng.random(entries, np.float32),
        "b": rng.random((n, COLUMNS), np.float32),
        "c": np.zeros((n, COLUMNS), np.float32),
    }
    items = n * COLUMNS
    return Problem(arrays, [Launch("spmm", (np.uint32(items), *arrays), (items,))], ("c",))


def answer(problem):
    a = problem.arrays
    products = a["value"].astype(np.float64)[:, None] * a["b"][a["col"]]
    sums = np.zeros((len(products) + 1, COLUMNS))
    np.cumsum(products, 0, out=sums[1:])
    return {"c": np.diff(sums[a["row"]], axis=0).astype(np.float32)}
