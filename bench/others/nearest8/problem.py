"""The eight nearest of all points for each query: insertion into a sorted private array."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "points": 512}
SMALL = {"n": 120, "points": 40}


def make(rng, n, points):
    arrays = {
        "qx": rng.random(n, np.float32),
        "qy": rng.random(n, np.float32),
        "px": rng.random(points, np.float32),
        "py": rng.random(points, np.float32),
        "nearest": np.zeros((8, n), np.uint32),
    }
    launch = Launch("nearest8", (np.uint32(n), np.uint32(points), *arrays), (n,))
    # A fused multiply-add may order two points otherwise.
    return Problem(arrays, [launch], ("nearest",), differing=1e-2)


def answer(problem):
    a = problem.arrays
    got = np.empty_like(a["nearest"])
    for start in range(0, problem.sizes.n, 1024):
        part = slice(start, start + 1024)
        x = a["qx"][part, None] - a["px"]
        y = a["qy"][part, None] - a["py"]
        got[:, part] = np.argsort(x * x + y * y, axis=1, kind="stable")[:, :8].T
    return {"nearest": got}
