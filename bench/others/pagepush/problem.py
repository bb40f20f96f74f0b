"""PageRank by pushing: a node adds its share to each of its successors, by atomics on integers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15, "edges": 1 << 18}
SMALL = {"n": 200, "edges": 1000}


def make(rng, n, edges):
    tails, heads = rng.integers(0, n, (2, edges))
    order = tails.argsort(kind="stable")
    arrays = {
        "row": np.append(0, np.bincount(tails, minlength=n).cumsum()).astype(np.uint32),
        "col": heads[order].astype(np.uint32),
        "rank": rng.integers(1 << 10, 1 << 20, n, np.uint32),
        "next": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("pagepush", (np.uint32(n), *arrays), (n,))], ("next",))


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    degree = np.diff(a["row"])
    share = a["rank"] // np.maximum(degree, 1)
    received = np.bincount(a["col"], np.repeat(share, degree), n)
    return {"next": received.astype(np.uint32)}
