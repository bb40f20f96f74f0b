"""Numbers above a limit, in any order: an atomic counter gives each its place."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 20}
SMALL = {"n": 2000}
LIMIT = np.uint32(900)


def make(rng, n):
    x = rng.integers(0, 1000, n, np.uint32)
    arrays = {"x": x, "count": np.zeros(1, np.uint32), "out": np.zeros_like(x)}
    return Problem(arrays, [Launch("filter", (np.uint32(n), LIMIT, *arrays), (n,))], ("count", "out"))


def answer(problem):
    x = problem.arrays["x"]
    kept = x[x > LIMIT]
    out = np.zeros_like(x)
    out[: len(kept)] = kept
    return {"count": np.array([len(kept)], np.uint32), "out": out}


def wrong(got, expected, problem):
    return np.sort(got) != np.sort(expected)
