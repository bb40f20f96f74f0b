"""Points in a polygon, by counting the edges that a ray crosses."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18, "edges": 24}
SMALL = {"n": 500, "edges": 9}


def make(rng, n, edges):
    angle = np.sort(rng.random(edges)) * 2 * np.pi
    radius = rng.uniform(0.3, 1, edges)
    arrays = {
        "x": rng.uniform(-1, 1, n).astype(np.float32),
        "y": rng.uniform(-1, 1, n).astype(np.float32),
        "px": (radius * np.cos(angle)).astype(np.float32),
        "py": (radius * np.sin(angle)).astype(np.float32),
        "inside": np.zeros(n, np.uint32),
    }
    launch = Launch("polygon", (np.uint32(n), np.uint32(edges), *arrays), (n,))
    return Problem(arrays, [launch], ("inside",), differing=1e-4)


def answer(problem):
    a = {name: array.astype(np.float64) for name, array in problem.arrays.items()}
    x, y = a["x"], a["y"]
    inside = np.zeros(problem.sizes.n, bool)
    for i in range(problem.sizes.edges):
        xi, yi, xj, yj = a["px"][i], a["py"][i], a["px"][i - 1], a["py"][i - 1]
        inside ^= ((yi > y) != (yj > y)) & (x < (xj - xi) * (y - yi) / (yj - yi) + xi)
    return {"inside": inside.astype(np.uint32)}
