"""Rounds of AES by four tables of 256 words, a block of 16 bytes a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15, "rounds": 9}
SMALL = {"n": 100, "rounds": 2}


def make(rng, n, rounds):
    arrays = {
        "table": rng.integers(0, 1 << 32, (4, 256), np.uint32),
        "key": rng.integers(0, 1 << 32, (rounds + 1, 4), np.uint32),
        "text": rng.integers(0, 1 << 32, (n, 4), np.uint32),
        "cipher": np.zeros((n, 4), np.uint32),
    }
    return Problem(
        arrays, [Launch("aes", (np.uint32(n), np.uint32(rounds), *arrays), (n,))], ("cipher",)
    )


def answer(problem):
    a = problem.arrays
    state = a["text"] ^ a["key"][0]
    for key in a["key"][1:]:
        bytes_ = [np.roll(state, -k, 1) >> 8 * k & 255 for k in range(4)]
        parts = [a["table"][k][bytes_[k]] for k in range(4)]
        state = parts[0] ^ parts[1] ^ parts[2] ^ parts[3] ^ key
    return {"cipher": state}
