"""Blocks of 512 keys, each sorted in group memory by a bitonic network: 45 barriers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 19}
SMALL = {"n": 1 << 10}
BLOCK = 512


def make(rng, n):
    arrays = {"keys": rng.integers(-(1 << 31), 1 << 31, n, np.int32)}
    return Problem(arrays, [Launch("blocksort", (np.uint32(n), "keys"), (n // 2,))], ("keys",))


def answer(problem):
    return {"keys": np.sort(problem.arrays["keys"].reshape(-1, BLOCK), axis=1)}
