"""A sparse matrix in CSR times a vector, 32 work-items a row, as in SHOC."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 1 << 13, "mean": 96}
SMALL = {"rows": 64, "mean": 40}


def make(rng, rows, mean):
    length = rng.integers(mean // 2, mean * 3 // 2, rows)
    entries = int(length.sum())
    arrays = {
        "row": np.append(0, length.cumsum()).astype(np.uint32),
        "col": rng.integers(0, rows, entries, np.uint32),
        "value": rng.random(entries, np.float32),
        "x": rng.random(rows, np.float32),
        "y": np.zeros(rows, np.float32),
    }
    launch = Launch("csrvector", (np.uint32(rows), *arrays), (rows * 32,))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    a = problem.arrays
    products = np.append(0, (a["value"].astype(np.float64) * a["x"][a["col"]]).cumsum())
    return {"y": np.diff(products[a["row"]]).astype(np.float32)}
