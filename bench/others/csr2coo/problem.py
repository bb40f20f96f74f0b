"""Rows of the entries of a sparse matrix, from where each row begins."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 1 << 16, "mean": 12}
SMALL = {"rows": 300, "mean": 6}


def make(rng, rows, mean):
    lengths = rng.poisson(mean, rows)
    arrays = {
        "start": np.append(0, lengths.cumsum()).astype(np.uint32),
        "row": np.zeros(lengths.sum(), np.uint32),
    }
    return Problem(arrays, [Launch("csr2coo", (np.uint32(rows), *arrays), (rows,))], ("row",))


def answer(problem):
    lengths = np.diff(problem.arrays["start"].astype(np.int64))
    return {"row": np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)}
