"""Blowfish of blocks of 64 bits: sixteen rounds, each with four look-ups in tables of 256 words."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 200}


def make(rng, n):
    arrays = {
        "key": rng.integers(0, 1 << 32, 18, np.uint32),
        "box": rng.integers(0, 1 << 32, 1024, np.uint32),
        "text": rng.integers(0, 1 << 32, (n, 2), np.uint32),
        "cipher": np.zeros((n, 2), np.uint32),
    }
    return Problem(arrays, [Launch("blowfish", (np.uint32(n), *arrays), (n,))], ("cipher",))


def answer(problem):
    a = problem.arrays
    key, box = a["key"], a["box"].reshape(4, 256)
    left, right = a["text"][:, 0].copy(), a["text"][:, 1].copy()
    for k in range(16):
        left = left ^ key[k]
        parts = [box[j][left >> np.uint32(24 - 8 * j) & np.uint32(255)] for j in range(4)]
        left, right = right ^ ((parts[0] + parts[1] ^ parts[2]) + parts[3]), left
    return {"cipher": np.stack((right ^ key[17], left ^ key[16]), 1)}
