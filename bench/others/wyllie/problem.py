"""Ranks of a list by pointer jumping (Wyllie): each round doubles how far a node sees."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "rounds": 13}
SMALL = {"n": 200, "rounds": 8}


def make(rng, n, rounds):
    order = rng.permutation(n)
    next_ = np.zeros(n, np.uint32)
    next_[order[:-1]], next_[order[-1]] = order[1:], order[-1]
    arrays = {
        "next": next_,
        "rank": (next_ != np.arange(n)).astype(np.uint32),
        "after": np.zeros(n, np.uint32),
        "ranks": np.zeros(n, np.uint32),
    }
    one = "next", "rank", "after", "ranks"
    turns = [one, one[2:] + one[:2]]
    launches = [Launch("wyllie", (np.uint32(n), *turns[k % 2]), (n,)) for k in range(rounds)]
    return Problem(arrays, launches, tuple(arrays))


def answer(problem):
    next_, rank, _, _ = problem.arrays.values()
    old = next_, rank
    for _ in range(problem.sizes.rounds):
        old, (next_, rank) = (next_, rank), (next_[next_], rank + rank[next_])
    if problem.sizes.rounds % 2 == 0:
        old, (next_, rank) = (next_, rank), old
    return {"after": next_, "ranks": rank, "next": old[0], "rank": old[1]}
