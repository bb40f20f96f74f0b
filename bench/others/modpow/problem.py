"""Powers modulo numbers below 2^16, by squaring: divisors differ from lane to lane."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 300}


def make(rng, n):
    arrays = {
        "base": rng.integers(0, 1 << 16, n).astype(np.uint32),
        "exponent": rng.integers(1, 1 << 16, n).astype(np.uint32),
        "modulus": rng.integers(2, 1 << 16, n).astype(np.uint32),
        "power": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("modpow", (np.uint32(n), *arrays), (n,))], ("power",))


def answer(problem):
    names = ("base", "exponent", "modulus")
    base, exponent, modulus = (problem.arrays[name].astype(np.uint64) for name in names)
    power = np.ones_like(base) % modulus
    base = base % modulus
    for bit in range(16):
        power = np.where(exponent >> np.uint64(bit) & np.uint64(1), power * base % modulus, power)
        base = base * base % modulus
    return {"power": power.astype(np.uint32)}
