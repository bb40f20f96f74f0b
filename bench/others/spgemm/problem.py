"""The square of a sparse matrix in CSR, a row a work-item: columns go into a private list."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4001}
SMALL = {"n": 53}
MOST, WIDTH = 4, 16


def make(rng, n):
    length = rng.integers(1, MOST + 1, n)
    start = np.append(0, np.cumsum(length)).astype(np.uint32)
    row = np.repeat(np.arange(n), length)
    place = np.arange(start[-1]) - start[:-1][row]
    column = (row + place * rng.integers(1, n // MOST, n)[row]) % n
    arrays = {
        "start": start,
        "column": column.astype(np.uint32),
        "value": rng.random(start[-1], np.float32),
        "found": np.zeros(n, np.uint32),
        "places": np.zeros((n, WIDTH), np.uint32),
        "sums": np.zeros((n, WIDTH), np.float32),
    }
    launch = Launch("spgemm", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("found", "places", "sums"))


def answer(problem):
    start, column, value, found, places, sums = problem.arrays.values()
    found, places, sums = found.copy(), places.copy(), sums.copy()
    start, column, value = start.tolist(), column.tolist(), value.astype(float).tolist()
    for i in range(len(found)):
        row = {}
        for j in range(start[i], start[i + 1]):
            for k in range(start[column[j]], start[column[j] + 1]):
                row[column[k]] = row.get(column[k], 0) + value[j] * value[k]
        found[i] = len(row)
        places[i, : len(row)] = sorted(row)
        sums[i, : len(row)] = [row[c] for c in sorted(row)]
    return {"found": found, "places": places, "sums": sums}
