"""A sparse matrix times a vector along the merge path of rows and entries (Merrill, Garland)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "entries": 1 << 17}
SMALL = {"n": 100, "entries": 600}
STEPS = 16


def make(rng, n, entries):
    """A few rows have most of the entries."""
    rows = np.sort((n * rng.random(entries) ** 3).astype(np.int64))
    items = -(-(n + entries) // STEPS)
    arrays = {
        "end": np.bincount(rows, minlength=n).cumsum().astype(np.uint32),
        "col": rng.integers(0, n, entries).astype(np.uint32),
        "value": rng.random(entries, np.float32),
        "x": rng.random(n, np.float32),
        "y": np.zeros(n, np.float32),
        "carry_row": np.zeros(items, np.uint32),
        "carry": np.zeros(items, np.float32),
    }
    scalars = np.uint32(items), np.uint32(n), np.uint32(entries)
    launches = [
        Launch("mergecsr", (*scalars, *arrays), (items,)),
        Launch("mergefix", (scalars[0], scalars[1], "y", "carry_row", "carry"), (items,)),
    ]
    return Problem(arrays, launches, ("y",), rtol=1e-4)


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    rows = np.repeat(np.arange(n), np.diff(a["end"], prepend=np.uint32(0)))
    products = a["value"].astype(np.float64) * a["x"][a["col"]]
    return {"y": np.bincount(rows, products, n).astype(np.float32)}
