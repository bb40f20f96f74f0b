"""xxHash32 of records of 64 bytes, a record a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 300}
P1, P2, P3, P4, P5 = (
    np.uint32(p) for p in (2654435761, 2246822519, 3266489917, 668265263, 374761393)
)


def make(rng, n):
    arrays = {
        "data": rng.integers(0, 1 << 32, (n, 16), np.uint32),
        "hash": np.zeros(n, np.uint32),
    }
    launch = Launch("xxhash", (np.uint32(n), np.uint32(1234), *arrays), (n,))
    return Problem(arrays, [launch], ("hash",))


def rotated(x, bits):
    return x << np.uint32(bits) | x >> np.uint32(32 - bits)


def answer(problem):
    data, seed = problem.arrays["data"], np.uint32(1234)
    with np.errstate(over="ignore"):
        lanes = [np.full(len(data), s) for s in (seed + P1 + P2, seed + P2, seed, seed - P1)]
        for k in range(16):
            lanes[k % 4] = rotated(lanes[k % 4] + data[:, k] * P2, 13) * P1
        h = sum((rotated(v, r) for v, r in zip(lanes, (1, 7, 12, 18), strict=True)), np.uint32(64))
        h = (h ^ h >> np.uint32(15)) * P2
        h = (h ^ h >> np.uint32(13)) * P3
    return {"hash": h ^ h >> np.uint32(16)}
