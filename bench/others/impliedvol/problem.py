"""Implied volatilities of calls by Newton's method, an option a work-item."""

import math

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 120}
RATE = 0.02


def normal(x):
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


def make(rng, n):
    spot, strike = rng.uniform(80, 120, n), rng.uniform(80, 120, n)
    years, volatility = rng.uniform(0.25, 2, n), rng.uniform(0.1, 0.6, n)
    spot, strike, years = (a.astype(np.float32).astype(np.float64) for a in (spot, strike, years))
    wide = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (RATE + 0.5 * volatility**2) * years) / wide
    price = spot * normal(d1) - strike * np.exp(-RATE * years) * normal(d1 - wide)
    arrays = {
        "spot": spot,
        "strike": strike,
        "years": years,
        "price": price,
        "volatility": np.zeros(n),
    }
    arguments = (np.uint32(n), np.float32(RATE), *arrays)
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    arrays["right"] = volatility.astype(np.float32)
    launch = Launch("impliedvol", arguments, (n,))
    return Problem(arrays, [launch], ("volatility",), rtol=1e-2, atol=1e-2, differing=0.01)


def answer(problem):
    return {"volatility": problem.arrays["right"]}
