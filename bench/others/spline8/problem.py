"""Second derivatives of natural cubic splines through 8 points, f64, a spline a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 90}


def make(rng, n):
    arrays = {"y": rng.standard_normal((8, n)), "second": np.zeros((8, n))}
    return Problem(arrays, [Launch("spline8", (np.uint32(n), *arrays), (n,))], ("second",))


def answer(problem):
    y = problem.arrays["y"]
    system = 4 * np.eye(6) + np.eye(6, k=1) + np.eye(6, k=-1)
    second = np.zeros_like(y)
    second[1:7] = np.linalg.solve(system, 6 * (y[2:] - 2 * y[1:-1] + y[:-2]))
    return {"second": second}
