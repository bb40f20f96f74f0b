"""MurmurHash3 (32 bits) of keys of 12 bytes, whose words are in three arrays."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 300}
SEED = np.uint32(0x9747B28C)


def make(rng, n):
    arrays = {name: rng.integers(0, 1 << 32, n, np.uint32) for name in ("first", "second", "third")}
    arrays["hash"] = np.zeros(n, np.uint32)
    return Problem(arrays, [Launch("murmur", (np.uint32(n), SEED, *arrays), (n,))], ("hash",))


def turned(x, by):
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))


def answer(problem):
    h = np.full_like(problem.arrays["hash"], SEED)
    for name in ("first", "second", "third"):
        word = turned(problem.arrays[name] * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
        h = turned(h ^ word, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    h ^= np.uint32(12)
    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return {"hash": h ^ (h >> np.uint32(16))}
