"""Weights of four bits, with a scale and a zero for 32 of them, unpacked: a word a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"groups": 1 << 14}
SMALL = {"groups": 50}


def make(rng, groups):
    words = 4 * groups
    arrays = {
        "packed": rng.integers(0, 1 << 32, words, np.uint32),
        "scale": rng.random(groups, np.float32),
        "zero": rng.uniform(6, 9, groups).astype(np.float32),
        "y": np.zeros(8 * words, np.float32),
    }
    return Problem(arrays, [Launch("dequant4", (np.uint32(words), *arrays), (words,))], ("y",))


def answer(problem):
    a = problem.arrays
    numbers = a["packed"][:, None] >> np.arange(0, 32, 4, dtype=np.uint32) & 15
    numbers = numbers.reshape(-1, 32).astype(np.float32)
    return {"y": ((numbers - a["zero"][:, None]) * a["scale"][:, None]).ravel()}
