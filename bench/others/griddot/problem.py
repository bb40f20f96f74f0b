"""The dot product of two vectors by 32 workgroups; work-items step by the size of the grid."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 200_001, "groups": 32, "times": 32}
SMALL = {"n": 3001, "groups": 2, "times": 1}


def make(rng, n, groups, times):
    arrays = {
        "x": rng.random(n, np.float32),
        "y": rng.random(n, np.float32),
        "sum": np.zeros(groups, np.float32),
    }
    launch = Launch("griddot", (np.uint32(n), np.uint32(groups), *arrays), (groups * 256,))
    return Problem(arrays, [launch] * times, ("sum",))


def answer(problem):
    a = problem.arrays
    products = a["x"].astype(np.float64) * a["y"]
    groups = a["sum"].size
    products = np.append(products, np.zeros(-products.size % (groups * 256)))
    return {"sum": products.reshape(-1, groups, 256).sum((0, 2)).astype(np.float32)}
