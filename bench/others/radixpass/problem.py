"""A pass of a radix sort by a digit of four bits: counts of each work-item's keys, then moves."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"items": 4096}
SMALL = {"items": 64}
EACH, DIGITS = 64, 16


def make(rng, items):
    key = rng.integers(0, 1 << 32, items * EACH, np.uint32)
    counts = tally(key, items)
    start = (np.cumsum(counts) - counts.ravel()).astype(np.uint32)
    arrays = {
        "key": key,
        "count": np.zeros(DIGITS * items, np.uint32),
        "start": start,
        "sorted": np.zeros_like(key),
    }
    size = np.uint32(items)
    launches = [
        Launch("tally", (size, "key", "count"), (items,)),
        Launch("move", (size, "key", "start", "sorted"), (items,)),
    ]
    return Problem(arrays, launches, ("count", "start", "sorted"))


def tally(key, items):
    digits = (key & 15).reshape(items, EACH)
    return np.stack([(digits == d).sum(1) for d in range(DIGITS)]).astype(np.uint32)


def answer(problem):
    key, items = problem.arrays["key"], problem.sizes.items
    counts = tally(key, items).ravel()
    order = np.argsort(key & 15, kind="stable")
    return {"count": counts, "start": problem.arrays["start"] + counts, "sorted": key[order]}
