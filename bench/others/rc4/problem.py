"""Key streams of RC4: a permutation of 256 bytes in private memory, a key a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2003, "length": 64}
SMALL = {"n": 37, "length": 5}


def make(rng, n, length):
    arrays = {
        "key": rng.integers(0, 256, (n, 16), np.uint8),
        "stream": np.zeros((n, length), np.uint8),
    }
    return Problem(
        arrays, [Launch("rc4", (np.uint32(n), np.uint32(length), *arrays), (n,))], ("stream",)
    )


def answer(problem):
    key, stream = problem.arrays["key"], np.empty_like(problem.arrays["stream"])
    n, length = stream.shape
    rows = np.arange(n)
    s = np.tile(np.arange(256, dtype=np.uint8), (n, 1))
    j = np.zeros(n, np.uint8)
    for i in range(256):
        j = j + s[:, i] + key[:, i % 16]
        s[rows, i], s[rows, j] = s[rows, j], s[rows, i]
    j = np.zeros(n, np.uint8)
    for k in range(length):
        i = (k + 1) % 256
        j = j + s[:, i]
        s[rows, i], s[rows, j] = s[rows, j], s[rows, i]
        stream[:, k] = s[rows, s[rows, i] + s[rows, j]]
    return {"stream": stream}
