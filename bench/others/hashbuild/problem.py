"""Keys are put into a table by compare-and-swap, with linear probing; equal keys share a slot."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 10000, "slots": 16384}
SMALL = {"n": 100, "slots": 256}


def make(rng, n, slots):
    arrays = {
        "keys": rng.integers(1, n, n, np.uint32),
        "table": np.zeros(slots, np.uint32),
    }
    launch = Launch("hashbuild", (np.uint32(n), np.uint32(slots - 1), *arrays), (n,))
    return Problem(arrays, [launch], ("table",))


def wrong(have, right, problem):
    """Keys may be in another order."""
    return np.sort(have) != right


def answer(problem):
    keys, table = problem.arrays.values()
    found = np.unique(keys)
    return {"table": np.concatenate([np.zeros(len(table) - len(found), np.uint32), found])}
