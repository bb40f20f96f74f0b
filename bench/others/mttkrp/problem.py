"""A sparse tensor times two matrices (MTTKRP), a number of a row a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 600, "rank": 16}
SMALL = {"rows": 20, "rank": 8}


def make(rng, rows, rank):
    first = np.append(0, np.cumsum(rng.geometric(0.06, rows))).astype(np.uint32)
    arrays = {
        "first": first,
        "second": rng.integers(0, 200, first[-1], np.uint32),
        "third": rng.integers(0, 100, first[-1], np.uint32),
        "value": rng.uniform(-1, 1, first[-1]).astype(np.float32),
        "b": rng.uniform(-1, 1, (200, rank)).astype(np.float32),
        "c": rng.uniform(-1, 1, (100, rank)).astype(np.float32),
        "a": np.zeros((rows, rank), np.float32),
    }
    numbers = np.uint32(rows), np.uint32(rank)
    launch = Launch("mttkrp", (*numbers, *arrays), (rank, rows), (16, 16))
    return Problem(arrays, [launch], ("a",), rtol=1e-3, atol=1e-4)


def answer(problem):
    first, second, third, value, b, c, a = problem.arrays.values()
    owner = np.repeat(np.arange(len(a)), np.diff(first.astype(int)))
    total = np.zeros(a.shape)
    np.add.at(total, owner, value[:, None].astype(np.float64) * b[second] * c[third])
    return {"a": total.astype(np.float32)}
