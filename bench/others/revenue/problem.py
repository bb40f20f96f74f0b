"""The revenue of orders of some days, discounts and quantities (TPC-H 6): groups add columns."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 19, "groups": 16}
SMALL = {"n": 3001, "groups": 2}


def make(rng, n, groups):
    arrays = {
        "day": rng.integers(0, 2500, n, np.uint16),
        "discount": rng.integers(0, 11, n, np.uint8),
        "quantity": rng.integers(1, 51, n, np.uint8),
        "price": rng.integers(100, 1_000_000, n, np.uint32),
        "sum": np.zeros(groups, np.uint64),
    }
    launch = Launch("revenue", (np.uint32(n), np.uint32(groups), *arrays), (groups * 256,))
    return Problem(arrays, [launch], ("sum",))


def answer(problem):
    a = problem.arrays
    wanted = (a["day"] >= 700) & (a["day"] < 1065) & (a["quantity"] < 24)
    wanted &= (a["discount"] >= 5) & (a["discount"] <= 7)
    value = np.where(wanted, a["price"].astype(np.uint64) * a["discount"], np.uint64(0))
    groups = a["sum"].size
    value = np.append(value, np.zeros(-value.size % (groups * 256), np.uint64))
    return {"sum": value.reshape(-1, groups, 256).sum((0, 2))}
