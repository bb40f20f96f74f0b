"""Forward substitution with a lower triangular matrix, f64: a right-hand side a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"order": 60, "n": 1500}
SMALL = {"order": 9, "n": 90}


def make(rng, order, n):
    arrays = {
        "lower": np.tril(rng.uniform(-1, 1, (order, order)) / order, -1) + np.eye(order) * 1.5,
        "x": rng.uniform(-1, 1, (order, n)),
    }
    launch = Launch("trisolve", (np.uint32(order), np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("x",), rtol=1e-10, atol=1e-12)


def answer(problem):
    return {"x": np.linalg.solve(problem.arrays["lower"], problem.arrays["x"])}
