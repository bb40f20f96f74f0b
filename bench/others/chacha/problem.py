"""ChaCha20: 64 bytes of key stream by ten double rounds, a block a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 70}


def make(rng, n):
    arrays = {
        "key": rng.integers(0, 1 << 32, 8, np.uint32),
        "nonce": rng.integers(0, 1 << 32, 3, np.uint32),
        "text": rng.integers(0, 1 << 32, (n, 16), np.uint32),
        "cipher": np.zeros((n, 16), np.uint32),
    }
    return Problem(arrays, [Launch("chacha", (np.uint32(n), *arrays), (n,))], ("cipher",))


def _quarter(s, a, b, c, d):
    for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[x] += s[y]
        s[z] ^= s[x]
        s[z] = s[z] << turn | s[z] >> 32 - turn


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    start = np.empty((16, n), np.uint32)
    start[:4] = np.frombuffer(b"expand 32-byte k", np.uint32)[:, None]
    start[4:12] = a["key"][:, None]
    start[12] = np.arange(n)
    start[13:] = a["nonce"][:, None]
    s = start.copy()
    for _ in range(10):
        for k in range(4):
            _quarter(s, k, 4 + k, 8 + k, 12 + k)
        for k in range(4):
            _quarter(s, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
    return {"cipher": a["text"] ^ (s + start).T}
