"""A LIBOR market model: twenty forward rates a path in a private array, and swaptions on them."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 5003}
SMALL = {"n": 19}


def make(rng, n):
    arrays = {
        "normal": rng.standard_normal((10, n)).astype(np.float32),
        "volatility": rng.uniform(0.1, 0.3, 20).astype(np.float32),
        "value": np.zeros(n, np.float32),
    }
    launch = Launch("libor", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("value",), rtol=1e-3, atol=1e-3)


def answer(problem):
    normal, volatility, value = (a.astype(np.float64) for a in problem.arrays.values())
    rate = np.full((20, len(value)), 0.05)
    for step, z in enumerate(normal):
        vol = volatility[: 19 - step, None]
        now = rate[step + 1 :]
        drift = np.cumsum(0.25 * vol * now / (1 + 0.25 * now), axis=0)
        rate[step + 1 :] = now * np.exp(drift * vol + vol * (0.5 * z - 0.125 * vol))
    bond = np.cumprod(1 / (1 + 0.25 * rate[10:]), axis=0)
    strike = 0.045 + 0.0005 * np.arange(10)[:, None]
    payoff = bond + strike * np.cumsum(0.25 * bond, axis=0) - 1
    return {"value": (100 * np.maximum(-payoff, 0)).sum(0).astype(np.float32)}
