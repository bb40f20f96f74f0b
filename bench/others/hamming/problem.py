"""Matches of descriptors of 256 bits: the nearest two by Hamming distance, a query a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1024, "m": 500}
SMALL = {"n": 40, "m": 15}
WORDS = 8


def make(rng, n, m):
    arrays = {
        "query": rng.integers(0, 1 << 32, (n, WORDS), np.uint32),
        "known": rng.integers(0, 1 << 32, (m, WORDS), np.uint32),
        "match": np.zeros(n, np.uint32),
        "ratio": np.zeros(n, np.float32),
    }
    launch = Launch("hamming", (np.uint32(n), np.uint32(m), *arrays), (n,), (128,))
    return Problem(arrays, [launch], ("match", "ratio"))


def answer(problem):
    a = problem.arrays
    apart = np.zeros((len(a["query"]), len(a["known"])), int)
    for word in range(WORDS):
        bits = a["query"][:, None, word] ^ a["known"][:, word]
        apart += np.bitwise_count(bits)
    two = np.sort(apart, 1)[:, :2].astype(np.float32)
    return {"match": apart.argmin(1).astype(np.uint32), "ratio": two[:, 0] / two[:, 1]}
