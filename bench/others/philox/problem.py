"""Philox 4 x 32, ten rounds: four random words from a counter and a key."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 300}


def make(_rng, n):
    arrays = {"words": np.zeros((4, n), np.uint32)}
    arguments = (np.uint32(n), np.uint32(0xA4093822), np.uint32(0x299F31D0), *arrays)
    return Problem(arrays, [Launch("philox", arguments, (n,))], ("words",))


def answer(problem):
    n = problem.sizes.n
    x = [np.arange(n, dtype=np.uint32), *(np.zeros(n, np.uint32) for _ in range(3))]
    one, two = 0xA4093822, 0x299F31D0
    for _ in range(10):
        p = x[0].astype(np.uint64) * np.uint64(0xD2511F53)
        q = x[2].astype(np.uint64) * np.uint64(0xCD9E8D57)
        high, low = ([(v >> np.uint64(s)).astype(np.uint32) for v in (p, q)] for s in (32, 0))
        x = [high[1] ^ x[1] ^ np.uint32(one), low[1], high[0] ^ x[3] ^ np.uint32(two), low[0]]
        one, two = one + 0x9E3779B9 & 0xFFFFFFFF, two + 0xBB67AE85 & 0xFFFFFFFF
    return {"words": np.stack(x)}
