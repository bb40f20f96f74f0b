"""A sparse matrix in CSR times a vector, rows of random length: an irregular loop with gathers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "entries": 1 << 20}
SMALL = {"n": 500, "entries": 6000}


def make(rng, n, entries):
    length = np.bincount(rng.integers(0, n, entries), minlength=n)
    arrays = {
        "row": np.append(0, length.cumsum()).astype(np.uint32),
        "col": rng.integers(0, n, entries, np.uint32),
        "value": rng.random(entries, np.float32),
        "x": rng.random(n, np.float32),
        "y": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("spmv", (np.uint32(n), *arrays), (n,))], ("y",))


def answer(problem):
    a = problem.arrays
    products = np.append(0, (a["value"].astype(np.float64) * a["x"][a["col"]]).cumsum())
    return {"y": np.diff(products[a["row"]]).astype(np.float32)}
