"""Successive over-relaxation of Laplace's equation, red points and black ones in turns, f64."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 512, "steps": 2}
SMALL = {"n": 26, "steps": 2}


def make(rng, n, steps):
    arrays = {"grid": rng.random((n + 2, n + 2))}
    launches = [
        Launch(
            "redblack",
            (np.uint32(n), np.uint32(colour), np.float64(1.8), "grid"),
            (n // 2, n),
            (64, 4),
        )
        for _ in range(steps)
        for colour in (0, 1)
    ]
    return Problem(arrays, launches, ("grid",), rtol=1e-9)


def answer(problem):
    grid, n = problem.arrays["grid"].copy(), problem.sizes.n
    y, x = np.mgrid[1 : n + 1, 1 : n + 1]
    for _ in range(problem.sizes.steps):
        for colour in (0, 1):
            ys, xs = (a[(x + y + colour) % 2 == 0] for a in (y, x))
            around = grid[ys - 1, xs] + grid[ys + 1, xs] + grid[ys, xs - 1] + grid[ys, xs + 1]
            grid[ys, xs] += 1.8 * (0.25 * around - grid[ys, xs])
    return {"grid": grid}
