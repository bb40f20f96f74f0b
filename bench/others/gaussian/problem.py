"""Gaussian elimination as in Rodinia: two launches a step, of fewer and fewer rows and columns."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 96}
SMALL = {"n": 19}


def make(rng, n):
    a = rng.uniform(-1, 1, (n, n)) + np.eye(n) * n
    arrays = {
        "a": a.astype(np.float32),
        "b": rng.uniform(-1, 1, n).astype(np.float32),
        "m": np.zeros((n, n), np.float32),
    }
    launches = []
    for t in range(n - 1):
        rows, head = n - 1 - t, (np.uint32(n), np.uint32(t))
        launches.append(Launch("fan1", (*head, np.uint32(rows), "a", "m"), (rows,)))
        sizes = np.uint32(rows + 1), np.uint32(rows)
        launches.append(Launch("fan2", (*head, *sizes, "m", "a", "b"), (rows + 1, rows), (32, 8)))
    return Problem(arrays, launches, ("a", "b", "m"), rtol=1e-3, atol=1e-4)


def answer(problem):
    a, b, m = (array.astype(np.float64) for array in problem.arrays.values())
    for t in range(len(b) - 1):
        m[t + 1 :, t] = a[t + 1 :, t] / a[t, t]
        a[t + 1 :] -= m[t + 1 :, t, None] * a[t]
        b[t + 1 :] -= m[t + 1 :, t] * b[t]
    return {name: x.astype(np.float32) for name, x in (("a", a), ("b", b), ("m", m))}
