"""PageRank by pulling: a node sums what its predecessors give, a launch a round."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "edges": 1 << 19, "rounds": 4}
SMALL = {"n": 200, "edges": 1000, "rounds": 2}


def make(rng, n, edges, rounds):
    tails, heads = rng.integers(0, n, (2, edges))
    order = heads.argsort(kind="stable")
    arrays = {
        "row": np.append(0, np.bincount(heads, minlength=n).cumsum()).astype(np.uint32),
        "col": tails[order].astype(np.uint32),
        "degree": np.maximum(np.bincount(tails, minlength=n), 1).astype(np.uint32),
        "rank": np.full(n, 1 / n, np.float32),
        "next": np.zeros(n, np.float32),
    }
    names = ("row", "col", "degree")
    ways = (("rank", "next"), ("next", "rank"))
    launches = [
        Launch("pagerank", (np.uint32(n), *names, *ways[i % 2]), (n,)) for i in range(rounds)
    ]
    return Problem(arrays, launches, ("rank", "next"), atol=1e-9)


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    heads = np.repeat(np.arange(n), np.diff(a["row"]))
    now, other = a["rank"].astype(np.float64), a["next"].astype(np.float64)
    for _ in range(problem.sizes.rounds):
        given = (now / a["degree"])[a["col"]]
        other = 0.15 / n + 0.85 * np.bincount(heads, given, n)
        now, other = other, now
    both = (now, other) if problem.sizes.rounds % 2 == 0 else (other, now)
    return {name: x.astype(np.float32) for name, x in zip(("rank", "next"), both, strict=True)}
