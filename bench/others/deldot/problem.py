"""The divergence of a velocity on quadrilateral zones of a list (DEL_DOT_VEC_2D of RAJAPerf)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 250}
SMALL = {"size": 17}


def make(rng, size):
    line = size + 1
    row, column = np.mgrid[:line, :line].astype(np.float64)
    x, y = (grid + rng.uniform(1.1, 1.4, grid.shape) for grid in (column, row))
    arrays = {"zone": (np.arange(size)[:, None] * line + np.arange(size)).ravel().astype(np.uint32)}
    arrays |= {"x": x, "y": y, "fx": rng.random(x.shape), "fy": rng.random(x.shape)}
    arrays["div"] = np.zeros(x.shape)
    n = size * size
    return Problem(
        arrays, [Launch("deldot", (np.uint32(n), np.uint32(line), *arrays), (n,))], ("div",)
    )


def answer(problem):
    corners = []
    for name in ("x", "y", "fx", "fy"):
        a = problem.arrays[name]
        corners.append((a[:-1, 1:], a[1:, 1:], a[1:, :-1], a[:-1, :-1]))
    (xi, xj), (yi, yj), (fxi, fxj), (fyi, fyj) = (
        (0.5 * (a + b - c - d), 0.5 * (b + c - d - a)) for a, b, c, d in corners
    )
    area = 1 / (xi * yj - xj * yi + 1e-20)
    sides = area * (fxi * yj - fxj * yi) + area * (fyj * xi - fyi * xj)
    div = np.zeros_like(problem.arrays["div"])
    div[:-1, :-1] = sides + sum(corners[3]) / sum(corners[0])
    return {"div": div}
