"""How often each word of six bases occurs in a sequence: a window a work-item, atomic counts."""

import numpy as np
from peers.problem import Launch, Problem

K = 6
FULL = {"n": 1 << 20}
SMALL = {"n": 1000}


def make(rng, n):
    arrays = {
        "base": rng.choice(np.frombuffer(b"ACGT", np.uint8), n + K - 1),
        "count": np.zeros(4**K, np.uint32),
    }
    return Problem(arrays, [Launch("kmers", (np.uint32(n), *arrays), (n,))], ("count",))


def answer(problem):
    code = problem.arrays["base"].astype(np.uint32) >> 1 & 3
    n, word = problem.sizes.n, np.uint32(0)
    for k in range(K):
        word = word * 4 + code[k : k + n]
    return {"count": np.bincount(word, minlength=4**K).astype(np.uint32)}
