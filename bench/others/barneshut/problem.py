"""Forces by a walk of a quadtree with a stack: near cells are opened, far ones are one body."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4096, "levels": 5}
SMALL = {"n": 64, "levels": 3}


def make(rng, n, levels):
    points = rng.random((n, 2), np.float32)
    cells = np.concatenate([tree_level(points, level) for level in range(levels)])
    x, y, mass, size = cells.astype(np.float32).T.copy()
    px, py = points[np.lexsort(np.floor(points * 32).T)].T.copy()
    arrays = {
        "x": x, "y": y, "mass": mass, "size": size, "px": px, "py": py,
        "fx": np.zeros(n, np.float32), "fy": np.zeros(n, np.float32),
    }  # fmt: skip
    inner = (4 ** (levels - 1) - 1) // 3
    launch = Launch("barneshut", (np.uint32(n), np.uint32(inner), *arrays), (n,))
    return Problem(arrays, [launch], ("fx", "fy"), rtol=1e-2, atol=1e-2 * n, differing=0.01)


def tree_level(points, level):
    """Rows of x, y, mass and squared size: the cells of a level, a parent's four in a row."""
    side = 1 << level
    i, j = np.minimum((points * side).astype(int), side - 1).T
    code = sum((i >> b & 1) << 2 * b | (j >> b & 1) << 2 * b + 1 for b in range(level)) + 0 * i
    mass = np.bincount(code, minlength=side * side)
    x, y = (np.bincount(code, p, side * side) / np.maximum(mass, 1) for p in points.T)
    return np.stack([x, y, mass, np.full(side * side, 1 / side**2)], 1)


def answer(problem):
    a = problem.arrays
    inner = int(problem.launches[0].arguments[1])
    x, y, mass, size = (a[name] for name in ("x", "y", "mass", "size"))
    fx, fy = np.zeros_like(a["px"]), np.zeros_like(a["py"])
    todo = [(0, np.arange(len(fx)))]
    while todo:
        cell, bodies = todo.pop()
        dx, dy = x[cell] - a["px"][bodies], y[cell] - a["py"][bodies]
        square = dx * dx + dy * dy + np.float32(1e-4)
        far = (size[cell] < np.float32(0.25) * square) | (cell >= inner)
        force = mass[cell] / (square * np.sqrt(square))
        np.add.at(fx, bodies[far], (force * dx)[far])
        np.add.at(fy, bodies[far], (force * dy)[far])
        if not far.all():
            todo += [(4 * cell + k, bodies[~far]) for k in range(1, 5)]
    return {"fx": fx, "fy": fy}
