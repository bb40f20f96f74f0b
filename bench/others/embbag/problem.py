"""Embedding bags: weighted sums of rows of a table; a bag has a list of rows."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"dim": 48, "bags": 800, "names": 3000}
SMALL = {"dim": 20, "bags": 9, "names": 40}


def make(rng, dim, bags, names):
    sizes = rng.integers(0, 20, bags)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    arrays = {
        "first": first,
        "rows": rng.integers(0, names, first[-1], np.uint32),
        "share": rng.random(first[-1], np.float32),
        "table": rng.uniform(-1, 1, (names, dim)).astype(np.float32),
        "y": np.zeros((bags, dim), np.float32),
    }
    launch = Launch("embbag", (np.uint32(dim), np.uint32(bags), *arrays), (dim, bags), (16, 8))
    return Problem(arrays, [launch], ("y",), rtol=1e-4)


def answer(problem):
    a = problem.arrays
    y = np.zeros_like(a["y"])
    bag = np.repeat(np.arange(len(y)), np.diff(a["first"].astype(np.int64)))
    np.add.at(y, bag, a["share"][:, None] * a["table"][a["rows"]])
    return {"y": y}
