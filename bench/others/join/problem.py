"""A hash join: keys take places of a table by compare and swap, other rows look them up."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"built": 1 << 14, "n": 1 << 18, "size": 1 << 15}
SMALL = {"built": 100, "n": 400, "size": 256}


def make(rng, built, n, size):
    keys = rng.permutation(built * 4)[: built * 2].astype(np.uint32) + np.uint32(1)
    arrays = {
        "slot": np.zeros((size, 2), np.uint32),
        "key": keys[:built],
        "price": rng.integers(1, 1000, built, np.uint32),
        "asked": rng.choice(keys, n),
        "amount": rng.integers(1, 50, n, np.uint32),
        "cost": np.zeros(n, np.uint32),
    }
    mask = np.uint32(size - 1)
    launches = [
        Launch("clear", (np.uint32(size), "slot"), (size,)),
        Launch("build", (np.uint32(built), mask, "slot", "key", "price"), (built,)),
        Launch("probe", (np.uint32(n), mask, "slot", "asked", "amount", "cost"), (n,)),
    ]
    return Problem(arrays, launches, ("cost",))


def answer(problem):
    a = problem.arrays
    price = np.zeros(a["asked"].max() + a["key"].max() + 1, np.uint32)
    price[a["key"]] = a["price"]
    return {"cost": price[a["asked"]] * a["amount"]}
