"""Gram-Schmidt of PolyBench: three launches a column, one of them a single work-item's sum."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 96, "columns": 80}
SMALL = {"rows": 17, "columns": 9}


def make(rng, rows, columns):
    arrays = {
        "a": rng.normal(size=(rows, columns)).astype(np.float32),
        "r": np.zeros((columns, columns), np.float32),
        "q": np.zeros((rows, columns), np.float32),
    }
    launches = []
    for k in range(columns):
        scalars = np.uint32(rows), np.uint32(columns), np.uint32(k)
        launches += [
            Launch("norm", (np.uint32(1), *scalars, "a", "r"), (1,)),
            Launch("scaled", (*scalars, "a", "r", "q"), (rows,)),
            Launch("others", (*scalars, "a", "r", "q"), (columns,)),
        ]
    return Problem(arrays, launches, ("a", "r", "q"), rtol=1e-2, atol=1e-3)


def answer(problem):
    a, r, q = (array.astype(np.float64) for array in problem.arrays.values())
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt((a[:, k] ** 2).sum())
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return {"a": a.astype(np.float32), "r": r.astype(np.float32), "q": q.astype(np.float32)}
