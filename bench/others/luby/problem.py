"""An independent set of a graph by Luby's algorithm: rounds of a choice and of an exclusion."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15, "degree": 12, "rounds": 4}
SMALL = {"n": 120, "degree": 4, "rounds": 2}


def make(rng, n, degree, rounds):
    ends = rng.integers(0, n, (2, n * degree // 2))
    ends = np.concatenate([ends, ends[::-1]], 1)[:, np.tile(ends[0] != ends[1], 2)]
    order = np.lexsort(ends[::-1])
    arrays = {
        "start": np.searchsorted(ends[0, order], np.arange(n + 1)).astype(np.uint32),
        "column": ends[1, order].astype(np.uint32),
        "priority": rng.permutation(n).astype(np.uint32),
        "chosen": np.zeros(n, np.uint8),
        "state": np.zeros(n, np.uint8),
    }
    scalar = (np.uint32(n),)
    one = Launch("choose", scalar + tuple(arrays), (n,))
    other = Launch("exclude", (*scalar, "start", "column", "chosen", "state"), (n,))
    return Problem(arrays, [one, other] * rounds, ("chosen", "state"))


def answer(problem):
    a = problem.arrays
    rows = np.repeat(np.arange(problem.sizes.n), np.diff(a["start"]))
    chosen, state = a["chosen"].copy(), a["state"].copy()
    for _ in range(problem.sizes.rounds):
        rival = (state[a["column"]] == 0) & (a["priority"][a["column"]] > a["priority"][rows])
        beaten = np.bincount(rows[rival], minlength=len(state)) > 0
        chosen = ((state == 0) & ~beaten).astype(np.uint8)
        near = np.bincount(rows[chosen[a["column"]] == 1], minlength=len(state)) > 0
        decided = np.where(chosen, 1, np.where(near, 2, 0))
        state = np.where(state != 0, state, decided).astype(np.uint8)
    return {"chosen": chosen, "state": state}
