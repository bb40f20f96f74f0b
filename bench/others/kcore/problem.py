"""The k-core of a graph: vertices of low degree leave it, a launch a round, until none does."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15, "k": 6}
SMALL = {"n": 200, "k": 6}


def make(rng, n, k):
    pairs = rng.integers(0, n, (n * 4, 2))
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    start = np.append(0, np.cumsum(np.bincount(both[:, 0], minlength=n)))
    arrays = {
        "start": start.astype(np.uint32),
        "column": both[:, 1].astype(np.uint32),
        "degree": np.diff(start).astype(np.uint32),
        "gone": np.zeros(n, np.uint32),
        "again": np.zeros(1, np.uint32),
    }
    launch = Launch("kcore", (np.uint32(n), np.uint32(k), *arrays), (n,))
    return Problem(arrays, [launch] * 100, ("degree", "gone"), again="again")


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    degree, gone = a["degree"].astype(int), np.zeros(n, bool)
    row = np.repeat(np.arange(n), np.diff(a["start"].astype(int)))
    while (leaves := ~gone & (degree < problem.sizes.k)).any():
        gone |= leaves
        degree -= np.bincount(a["column"][leaves[row]], minlength=n)
    return {"degree": degree.astype(np.uint32), "gone": gone.astype(np.uint32)}
