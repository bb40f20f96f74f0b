"""Subsets of twelve numbers with a given sum: a search that goes back, with a stack."""

from itertools import product

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12}
SMALL = {"n": 60}
NUMBERS = 12


def make(rng, n):
    number = -np.sort(-rng.integers(1, 60, (n, NUMBERS), np.int32).astype(np.int64), axis=1)
    arrays = {
        "number": number.astype(np.uint32),
        "target": (number.sum(axis=1) * rng.integers(2, 5, n) // 6).astype(np.uint32),
        "ways": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("subsets", (np.uint32(n), *arrays), (n,), (64,))], ("ways",))


def answer(problem):
    a = problem.arrays
    chosen = np.array(list(product((0, 1), repeat=NUMBERS)), np.uint32)
    sums = a["number"] @ chosen.T
    ways = np.count_nonzero(sums == a["target"][:, None], axis=1)
    return {"ways": ways.astype(np.uint32)}
