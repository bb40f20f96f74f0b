"""SipHash-2-4 of keys of 16 bytes: sums and turns of 64 bits."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 90}
START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def make(rng, n):
    arrays = {
        "key": rng.integers(0, 1 << 64, 2, np.uint64),
        "x": rng.integers(0, 1 << 64, (n, 2), np.uint64),
        "y": np.zeros(n, np.uint64),
    }
    return Problem(arrays, [Launch("siphash", (np.uint32(n), *arrays), (n,))], ("y",))


def _round(v):
    for a, b, turn in ((0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)):
        v[a] += v[b]
        v[b] = (v[b] << np.uint64(turn) | v[b] >> np.uint64(64 - turn)) ^ v[a]
        if (a, b) in ((0, 1), (2, 1)):
            v[a] = v[a] << np.uint64(32) | v[a] >> np.uint64(32)


def answer(problem):
    a = problem.arrays
    v = np.empty((4, len(a["x"])), np.uint64)
    for k in range(4):
        v[k] = np.uint64(START[k]) ^ a["key"][k & 1]
    for word in (*a["x"].T, np.uint64(16 << 56)):
        v[3] ^= word
        _round(v)
        _round(v)
        v[0] ^= word
    v[2] ^= np.uint64(255)
    for _ in range(4):
        _round(v)
    return {"y": v[0] ^ v[1] ^ v[2] ^ v[3]}
