"""American puts by a binomial tree, an option a work-item: values of a step in a private array."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2048, "steps": 48}
SMALL = {"n": 70, "steps": 6}
UP, DOWN, CHANCE = np.float32(1.06), np.float32(1 / 1.06), np.float32(0.51)
WORTH = np.float32(0.999)


def make(rng, n, steps):
    arrays = {
        "price": rng.uniform(10, 30, n).astype(np.float32),
        "strike": rng.uniform(10, 30, n).astype(np.float32),
        "worth": np.zeros(n, np.float32),
    }
    numbers = np.uint32(n), np.uint32(steps), UP, DOWN, CHANCE, WORTH
    return Problem(
        arrays, [Launch("binomial", (*numbers, *arrays), (n,))], ("worth",), rtol=1e-3, atol=1e-3
    )


def answer(problem):
    price, strike = (problem.arrays[name].astype(np.float64) for name in ("price", "strike"))
    steps, chance, worth = problem.sizes.steps, float(CHANCE), float(WORTH)
    lowest = price * float(DOWN) ** steps
    prices = lowest * (float(UP) ** 2) ** np.arange(steps + 1)[:, None]
    values = np.maximum(strike - prices, 0)
    for _ in range(steps):
        prices = prices[:-1] * float(UP)
        later = worth * (chance * values[1:] + (1 - chance) * values[:-1])
        values = np.maximum(strike - prices, later)
    return {"worth": values[0].astype(np.float32)}
