"""How often each digit of eight bits is in each block of 4,096 keys: the first step of a radix sort."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"groups": 256}
SMALL = {"groups": 2}
BLOCK = 4096


def make(rng, groups):
    arrays = {
        "key": rng.integers(0, 1 << 32, groups * BLOCK, np.uint32),
        "count": np.zeros(groups * 256, np.uint32),
    }
    arguments = (np.uint32(groups), np.uint32(8), *arrays)
    return Problem(arrays, [Launch("radixcount", arguments, (groups * 256,))], ("count",))


def answer(problem):
    digit = (problem.arrays["key"].reshape(-1, BLOCK) >> 8) & 255
    return {"count": np.stack([np.bincount(d, minlength=256) for d in digit], 1).astype(np.uint32)}
