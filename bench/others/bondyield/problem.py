"""Yields of bonds in f64: 30 halvings, each with a loop over a bond's own periods."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1000}
SMALL = {"n": 100}


def make(rng, n):
    arrays = {
        "price": rng.uniform(70, 130, n),
        "coupon": rng.uniform(4, 8, n),
        "periods": rng.integers(4, 40, n, np.uint32),
        "rate": np.zeros(n),
    }
    launch = Launch("bondyield", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("rate",), atol=1e-7)


def answer(problem):
    price, coupon, periods, rate = problem.arrays.values()
    low, high = np.zeros_like(rate), np.ones_like(rate)
    for _ in range(30):
        middle = (low + high) / 2
        value, factor = np.full_like(rate, 100), 1 / (1 + middle)
        for p in range(40):
            value = np.where(p < periods, (value + coupon) * factor, value)
        low, high = np.where(value > price, middle, low), np.where(value > price, high, middle)
    return {"rate": (low + high) / 2}
