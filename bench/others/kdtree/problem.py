"""The nearest point in a k-d tree of points in the plane: a stack of nodes a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "depth": 12}
SMALL = {"n": 60, "depth": 5}


def make(rng, n, depth):
    count = (1 << depth) - 1
    points = rng.random((count, 2), np.float32)
    tree = np.zeros((count + 1, 2), np.float32)

    def place(node, part, axis):
        if node > count:
            return
        part = part[np.argsort(part[:, axis], kind="stable")]
        middle = len(part) // 2
        tree[node] = part[middle]
        place(2 * node, part[:middle], 1 - axis)
        place(2 * node + 1, part[middle + 1 :], 1 - axis)

    place(1, points, 0)
    arrays = {
        "x": np.ascontiguousarray(tree[:, 0]),
        "y": np.ascontiguousarray(tree[:, 1]),
        "qx": rng.random(n, np.float32),
        "qy": rng.random(n, np.float32),
        "distance": np.zeros(n, np.float32),
    }
    launch = Launch("kdtree", (np.uint32(n), np.uint32(count), *arrays), (n,))
    return Problem(arrays, [launch], ("distance",))


def answer(problem):
    a = problem.arrays
    got = np.empty_like(a["distance"])
    for start in range(0, problem.sizes.n, 512):
        part = slice(start, start + 512)
        x = a["qx"][part, None] - a["x"][1:]
        y = a["qy"][part, None] - a["y"][1:]
        got[part] = (x * x + y * y).min(axis=1)
    return {"distance": got}
