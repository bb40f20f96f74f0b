"""The periodogram of Lomb and Scargle of values at uneven times, a frequency a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2000, "length": 200}
SMALL = {"n": 60, "length": 40}


def make(rng, n, length):
    arrays = {
        "time": np.sort(rng.uniform(0, 100, length)).astype(np.float32),
        "value": rng.normal(0, 1, length).astype(np.float32),
        "power": np.zeros(n, np.float32),
    }
    launch = Launch("lombscargle", (np.uint32(n), np.uint32(length), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("power",), rtol=2e-2, atol=2e-2)


def answer(problem):
    time, value, power = (a.astype(np.float64) for a in problem.arrays.values())
    angle = (0.05 + 0.002 * np.arange(len(power)))[:, None] * time
    c, s = np.cos(angle), np.sin(angle)
    xc, xs, cc, cs, ss = c @ value, s @ value, (c * c).sum(1), (c * s).sum(1), (s * s).sum(1)
    power = (xc**2 * ss + xs**2 * cc - 2 * xc * xs * cs) / (cc * ss - cs**2)
    return {"power": power.astype(np.float32)}
