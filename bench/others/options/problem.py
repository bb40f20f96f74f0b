"""Prices of options by the functions of each language: exp, log, sqrt, divisions."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 600}
RATE, VOLATILITY = np.float32(0.02), np.float32(0.3)


def make(rng, n):
    arrays = {
        "price": rng.uniform(10, 30, n).astype(np.float32),
        "strike": rng.uniform(10, 30, n).astype(np.float32),
        "years": rng.uniform(1, 10, n).astype(np.float32),
        "call": np.zeros(n, np.float32),
        "put": np.zeros(n, np.float32),
    }
    launch = Launch("options", (np.uint32(n), RATE, VOLATILITY, *arrays), (n,))
    return Problem(arrays, [launch], ("call", "put"), rtol=1e-4, atol=1e-3)


def normal(d):
    """The cumulative normal distribution, by the polynomial of Abramowitz and Stegun 26.2.17."""
    k = 1 / (1 + 0.2316419 * np.abs(d))
    terms = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
    tail = sum(c * k**p for p, c in enumerate(terms, 1)) * 0.39894228 * np.exp(-d * d / 2)
    return np.where(d > 0, 1 - tail, tail)


def answer(problem):
    price, strike, years = (
        problem.arrays[name].astype(np.float64) for name in ("price", "strike", "years")
    )
    rate, volatility = float(RATE), float(VOLATILITY)
    spread = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + volatility**2 / 2) * years) / spread
    n1, n2 = normal(d1), normal(d1 - spread)
    present = strike * np.exp(-rate * years)
    call, put = price * n1 - present * n2, present * (1 - n2) - price * (1 - n1)
    return {"call": call.astype(np.float32), "put": put.astype(np.float32)}
