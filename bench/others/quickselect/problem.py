"""The median of each row by Hoare's quickselect, in place, a row a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12, "length": 31}
SMALL = {"n": 40, "length": 11}


def make(rng, n, length):
    arrays = {
        "x": rng.permuted(np.tile(np.arange(1000, 1000 + length, dtype=np.int32), (n, 1)), axis=1)
        + rng.integers(0, 500, (n, 1), np.int32),
        "median": np.zeros(n, np.int32),
    }
    launch = Launch("quickselect", (np.uint32(n), np.uint32(length), *arrays), (n,))
    return Problem(arrays, [launch], ("x", "median"))


def answer(problem):
    x = problem.arrays["x"].copy()
    middle = x.shape[1] // 2
    for row in x:
        low, high = 0, len(row) - 1
        while low < high:
            pivot, i, j = row[middle], low, high
            while i <= j:
                while row[i] < pivot:
                    i += 1
                while pivot < row[j]:
                    j -= 1
                if i <= j:
                    row[i], row[j] = row[j], row[i]
                    i, j = i + 1, j - 1
            low, high = (i if j < middle else low), (j if middle < i else high)
    return {"x": x, "median": x[:, middle].copy()}
