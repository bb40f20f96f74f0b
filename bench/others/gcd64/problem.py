"""Greatest common divisors of 64-bit numbers by shifts and differences."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 60}


def make(rng, n):
    arrays = {
        "a": rng.integers(1, 1 << 40, n, np.uint64) * rng.integers(1, 1 << 12, n, np.uint64),
        "b": rng.integers(1, 1 << 40, n, np.uint64),
        "divisor": np.zeros(n, np.uint64),
    }
    return Problem(arrays, [Launch("gcd64", (np.uint32(n), *arrays), (n,))], ("divisor",))


def answer(problem):
    return {"divisor": np.gcd(problem.arrays["a"], problem.arrays["b"])}
