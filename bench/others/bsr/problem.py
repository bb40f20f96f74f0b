"""A sparse matrix of blocks of 4 x 4 numbers times a vector, a row of numbers a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"blocks": 1 << 13, "longest": 16}
SMALL = {"blocks": 30, "longest": 6}


def make(rng, blocks, longest):
    start = np.append(0, np.cumsum(rng.integers(0, longest, blocks))).astype(np.uint32)
    total = int(start[-1])
    arrays = {
        "start": start,
        "column": rng.integers(0, blocks, total, np.uint32),
        "number": rng.random((total, 4, 4), np.float32),
        "x": rng.random((blocks, 4), np.float32),
        "y": np.zeros((blocks, 4), np.float32),
    }
    n = 4 * blocks
    return Problem(arrays, [Launch("bsr", (np.uint32(n), *arrays), (n,))], ("y",))


def answer(problem):
    a = problem.arrays
    rows = np.repeat(np.arange(problem.sizes.blocks), np.diff(a["start"].astype(int)))
    y = np.zeros((problem.sizes.blocks, 4))
    np.add.at(y, rows, np.einsum("eij,ej->ei", a["number"], a["x"][a["column"]]))
    return {"y": y.astype(np.float32)}
