"""Which odd numbers of 32 bits are primes: Miller and Rabin's test with Montgomery's products."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 64}


def make(rng, n):
    arrays = {
        "number": rng.integers(1 << 20, 1 << 32, n, np.uint32) | np.uint32(1),
        "prime": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("millerrabin", (np.uint32(n), *arrays), (n,))], ("prime",))


def answer(problem):
    number = problem.arrays["number"]
    flags = np.ones(1 << 16, bool)
    flags[:2] = False
    for p in range(2, 256):
        if flags[p]:
            flags[p * p :: p] = False
    prime = np.ones(len(number), np.uint32)
    for p in np.flatnonzero(flags).astype(np.uint32):
        prime[(number % p == 0) & (number != p)] = 0
    return {"prime": prime}
