"""SipHash-2-4 of keys of 16 bytes: rotations and sums of 64 bits."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 300}


def make(rng, n):
    arrays = {
        "key": rng.integers(0, 1 << 64, 2, np.uint64),
        "first": rng.integers(0, 1 << 64, n, np.uint64),
        "second": rng.integers(0, 1 << 64, n, np.uint64),
        "hash": np.zeros(n, np.uint64),
    }
    return Problem(arrays, [Launch("siphash", (np.uint32(n), *arrays), (n,))], ("hash",))


def turned(x, by):
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


def rounds(v, count):
    a, b, c, d = v
    for _ in range(count):
        a, c = a + b, c + d
        b, d = turned(b, 13) ^ a, turned(d, 16) ^ c
        a = turned(a, 32)
        c, a = c + b, a + d
        b, d = turned(b, 17) ^ c, turned(d, 21) ^ a
        c = turned(c, 32)
    return a, b, c, d


def answer(problem):
    a = problem.arrays
    none = np.zeros_like(a["hash"])
    k0, k1 = a["key"]
    words = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
    v = [none + (np.uint64(w) ^ k) for w, k in zip(words, (k0, k1, k0, k1), strict=True)]
    for word in (a["first"], a["second"], none + np.uint64(16 << 56)):
        v[3] = v[3] ^ word
        v = list(rounds(v, 2))
        v[0] = v[0] ^ word
    v[2] = v[2] ^ np.uint64(0xFF)
    p, q, r, s = rounds(v, 4)
    return {"hash": p ^ q ^ r ^ s}
