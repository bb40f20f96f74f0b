"""Sums of values by sorted keys: a scan by segments in each block, an atomic for each end."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 19, "keys": 20000}
SMALL = {"n": 1024, "keys": 40}
BLOCK = 256


def make(rng, n, keys):
    arrays = {
        "key": np.sort(rng.integers(0, keys, n, np.uint32)),
        "value": rng.integers(-1000, 1000, n, np.int32),
        "total": np.zeros(keys, np.int32),
    }
    launch = Launch("bykey", (np.uint32(n), *arrays), (n,), (BLOCK,))
    return Problem(arrays, [launch], ("total",))


def answer(problem):
    total = np.zeros_like(problem.arrays["total"])
    np.add.at(total, problem.arrays["key"], problem.arrays["value"])
    return {"total": total}
