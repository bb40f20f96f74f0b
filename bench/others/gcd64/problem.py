"""Greatest common divisors of numbers of 64 bits by shifts and differences (Stein)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 70}


def make(rng, n):
    factor = rng.integers(1, 1 << 24, n, np.uint64)
    arrays = {
        "a": rng.integers(1, 1 << 39, n, np.uint64) * factor,
        "b": rng.integers(1, 1 << 39, n, np.uint64) * factor,
        "divisor": np.zeros(n, np.uint64),
    }
    return Problem(arrays, [Launch("gcd64", (np.uint32(n), *arrays), (n,))], ("divisor",))


def answer(problem):
    return {"divisor": np.gcd(problem.arrays["a"], problem.arrays["b"])}
