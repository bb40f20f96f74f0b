"""Keys looked up in a Bloom filter of four hashes: most are refused by the first or second bit."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17, "bits": 20}
SMALL = {"n": 300, "bits": 10}
FACTORS = (2654435761, 2246822519, 3266489917, 668265263)


def make(rng, n, bits):
    stored = rng.integers(0, 1 << 32, (1 << bits) // 10, np.uint32)
    words = np.zeros((1 << bits) // 32, np.uint32)
    for factor in FACTORS:
        place = stored * np.uint32(factor) >> np.uint32(32 - bits)
        np.bitwise_or.at(words, place >> 5, np.uint32(1) << (place & 31))
    other = rng.integers(0, 1 << 32, n, np.uint32)
    asked = np.where(rng.random(n) < 0.3, rng.choice(stored, n), other)
    arrays = {
        "factor": np.array(FACTORS, np.uint32),
        "words": words,
        "key": asked.astype(np.uint32),
        "maybe": np.full(n, 2, np.uint8),
    }
    launch = Launch("bloom", (np.uint32(n), np.uint32(32 - bits), *arrays), (n,))
    return Problem(arrays, [launch], ("maybe",))


def answer(problem):
    a = problem.arrays
    maybe = np.ones(problem.sizes.n, np.uint8)
    for factor in FACTORS:
        place = a["key"] * np.uint32(factor) >> np.uint32(32 - problem.sizes.bits)
        maybe &= (a["words"][place >> 5] >> (place & 31) & 1).astype(np.uint8)
    return {"maybe": maybe}
