"""Kepler's equation by Newton's method in double precision, until each work-item is content."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 200}


def make(rng, n):
    """The sine is a polynomial, the same in every language."""
    arrays = {
        "mean": rng.random(n) * 1.5,
        "eccentricity": rng.random(n) * 0.9,
        "anomaly": np.zeros(n),
    }
    return Problem(
        arrays, [Launch("kepler", (np.uint32(n), *arrays), (n,))], ("anomaly",), rtol=1e-6
    )


def answer(problem):
    a = problem.arrays
    m, e = a["mean"], a["eccentricity"]
    x = m + e
    for _ in range(60):
        x2 = x * x
        s = x * (1 + x2 * (-1 / 6 + x2 * (1 / 120 + x2 * (-1 / 5040 + x2 * (1 / 362880)))))
        c = 1 + x2 * (-1 / 2 + x2 * (1 / 24 + x2 * (-1 / 720 + x2 * (1 / 40320))))
        x = x - (x - e * s - m) / (1 - e * c)
    return {"anomaly": x}
