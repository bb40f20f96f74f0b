"""Where the k-th 1 of a string of bits is: halving among counts of words, then within a word."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "words": 1 << 14}
SMALL = {"n": 200, "words": 100}


def make(rng, n, words):
    bits = rng.integers(0, 1 << 32, words, np.uint32) & rng.integers(0, 1 << 32, words, np.uint32)
    ones = np.bitwise_count(bits).astype(np.uint32)
    arrays = {
        "bits": bits,
        "before": np.cumsum(ones, dtype=np.uint32) - ones,
        "asked": rng.integers(0, int(ones.sum()), n, np.uint32),
        "place": np.zeros(n, np.uint32),
    }
    launch = Launch("rankselect", (np.uint32(n), np.uint32(words), *arrays), (n,))
    return Problem(arrays, [launch], ("place",))


def answer(problem):
    bits = np.unpackbits(problem.arrays["bits"].view(np.uint8), bitorder="little")
    return {"place": np.flatnonzero(bits)[problem.arrays["asked"]].astype(np.uint32)}
