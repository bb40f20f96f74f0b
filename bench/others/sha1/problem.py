"""SHA-1 of one block of 16 words each: 80 expanded words in private memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 8192}
SMALL = {"n": 80}


def make(rng, n):
    arrays = {
        "block": rng.integers(0, 1 << 32, (16, n), np.uint32),
        "digest": np.zeros((5, n), np.uint32),
    }
    return Problem(arrays, [Launch("sha1", (np.uint32(n), *arrays), (n,))], ("digest",))


def _rotate(x, by):
    return x << np.uint32(by) | x >> np.uint32(32 - by)


def answer(problem):
    word = list(problem.arrays["block"])
    for t in range(16, 80):
        word.append(_rotate(word[t - 3] ^ word[t - 8] ^ word[t - 14] ^ word[t - 16], 1))
    start = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)
    a, b, c, d, e = (np.full_like(word[0], s) for s in start)
    for t in range(80):
        if t < 20:
            f, k = b & c | ~b & d, 0x5A827999
        elif t < 40:
            f, k = b ^ c ^ d, 0x6ED9EBA1
        elif t < 60:
            f, k = b & c | b & d | c & d, 0x8F1BBCDC
        else:
            f, k = b ^ c ^ d, 0xCA62C1D6
        a, b, c, d, e = _rotate(a, 5) + f + e + np.uint32(k) + word[t], a, _rotate(b, 30), c, d
    ends = zip((a, b, c, d, e), start, strict=True)
    return {"digest": np.array([s + np.uint32(x) for s, x in ends])}
