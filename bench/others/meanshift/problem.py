"""Mean shift: each point moves to the mean of all points near it, some rounds."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2048, "rounds": 2}
SMALL = {"n": 128, "rounds": 1}


def make(rng, n, rounds):
    centres = rng.random((8, 2))
    points = centres[rng.integers(0, 8, n)] + rng.normal(0, 0.05, (n, 2))
    x, y = points.astype(np.float32).T.copy()
    arrays = {"x": x, "y": y, "px": x.copy(), "py": y.copy()}
    numbers = np.uint32(n), np.float32(0.01)
    launches = [Launch("meanshift", (*numbers, *arrays), (n,))] * rounds
    return Problem(arrays, launches, ("px", "py"), rtol=1e-3, differing=0.02)


def answer(problem):
    a = problem.arrays
    x, y, px, py = (a[name].astype(np.float64) for name in ("x", "y", "px", "py"))
    for _ in range(problem.sizes.rounds):
        near = (px[:, None] - x) ** 2 + (py[:, None] - y) ** 2 < np.float32(0.01)
        px, py = near @ x / near.sum(1), near @ y / near.sum(1)
    return {"px": px.astype(np.float32), "py": py.astype(np.float32)}
