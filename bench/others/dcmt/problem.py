"""Small Mersenne twisters, one a work-item, of 19 private words (as in the samples of CUDA)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 8192, "count": 200}
SMALL = {"n": 70, "count": 25}


def make(rng, n, count):
    arrays = {name: rng.integers(0, 1 << 32, n, np.uint32) for name in ("seed", "matrix")}
    arrays["out"] = np.zeros((count, n), np.uint32)
    arguments = np.uint32(n), np.uint32(count), *arrays
    return Problem(arrays, [Launch("dcmt", arguments, (n,), (128,))], ("out",))


def answer(problem):
    seed, matrix, out = problem.arrays.values()
    out, word = np.empty_like(out), [seed]
    for i in range(1, 19):
        word.append(np.uint32(1812433253) * (word[-1] ^ word[-1] >> 30) + np.uint32(i))
    for k, result in enumerate(out):
        x = (word[k % 19] & np.uint32(0xFFFFFFFE)) | (word[(k + 1) % 19] & np.uint32(1))
        x = word[(k + 9) % 19] ^ x >> 1 ^ np.where(x & 1, matrix, np.uint32(0))
        word[k % 19] = x
        x = x ^ x >> 12
        x = x ^ (x << 7 & np.uint32(0x9D2C5680))
        x = x ^ (x << 15 & np.uint32(0xEFC60000))
        result[:] = x ^ x >> 18
    return {"out": out}
