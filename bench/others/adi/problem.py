"""A step of PolyBench's adi: implicit sweeps of columns, then of rows, a line a work-item, f64."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 264}
SMALL = {"n": 20}
A, B = -0.3, 1.6


def make(rng, n):
    arrays = {name: np.zeros((n, n)) for name in "uvpq"}
    arrays["u"] = rng.random((n, n))
    numbers = np.uint32(n), np.float64(A), np.float64(B)
    launches = [
        Launch(f"{way}_sweep", (*numbers, *arrays), (n - 2,), (64,)) for way in ("column", "row")
    ]
    return Problem(arrays, launches, ("u", "v"), rtol=1e-9, atol=1e-9)


def sweep(middle):
    """The lines along the first axis whose neighbours are along the second one."""
    n = len(middle)
    p, q, line = np.zeros((n, n)), np.zeros((n, n)), np.ones((n, n))
    q[0, :] = 1
    inner = slice(1, n - 1)
    for j in range(1, n - 1):
        right = -A * middle[j, :-2] + (1 + 2 * A) * middle[j, 1:-1] - A * middle[j, 2:]
        below = A * p[j - 1, inner] + B
        p[j, inner] = -A / below
        q[j, inner] = (right - A * q[j - 1, inner]) / below
    for j in range(n - 2, 0, -1):
        line[j] = p[j] * line[j + 1] + q[j]
    return line


def answer(problem):
    u, v = problem.arrays["u"].copy(), problem.arrays["v"].copy()
    v[:, 1:-1] = sweep(u)[:, 1:-1]
    u[1:-1, :] = sweep(v.T).T[1:-1, :]
    return {"u": u, "v": v}
