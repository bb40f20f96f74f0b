"""Products in the field of Curve25519 as in TweetNaCl: limbs of 16 bits in 64-bit words."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2003}
SMALL = {"n": 37}


def make(rng, n):
    arrays = {
        "a": rng.integers(0, 1 << 16, (16, n), np.int64),
        "b": rng.integers(-500, 1 << 16, (16, n), np.int64),
        "product": np.zeros((16, n), np.int64),
    }
    return Problem(arrays, [Launch("curvemul", (np.uint32(n), *arrays), (n,))], ("product",))


def answer(problem):
    a, b, _ = problem.arrays.values()
    t = np.zeros((31, a.shape[1]), np.int64)
    for j in range(16):
        t[j : j + 16] += a[j] * b
    t[:15] += 38 * t[16:]
    for _ in range(2):
        carry = np.zeros(a.shape[1], np.int64)
        for k in range(16):
            t[k] += carry
            carry = t[k] >> 16
            t[k] -= carry << 16
        t[0] += 38 * carry
    return {"product": t[:16]}
