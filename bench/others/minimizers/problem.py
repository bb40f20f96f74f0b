"""Minimizers of a sequence: the least hash of ten neighbouring 15-mers, hashes in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 40009}
SMALL = {"n": 301}
K, WINDOW, GROUP = 15, 10, 128


def make(rng, n):
    arrays = {
        "bases": rng.integers(0, 4, n + K + WINDOW - 2).astype(np.uint8),
        "least": np.zeros(n, np.uint64),
    }
    launch = Launch("minimizers", (np.uint32(n), *arrays), (n,), (GROUP,))
    return Problem(arrays, [launch], ("least",))


def answer(problem):
    bases, least = problem.arrays.values()
    words = len(bases) - K + 1
    key = np.zeros(words, np.uint64)
    for k in range(K):
        key = key << np.uint64(2) | bases[k : k + words]
    key = (key ^ key >> np.uint64(33)) * np.uint64(0xFF51AFD7ED558CCD)
    key = (key ^ key >> np.uint64(33)) * np.uint64(0xC4CEB9FE1A85EC53)
    key ^= key >> np.uint64(33)
    windows = np.lib.stride_tricks.sliding_window_view(key, WINDOW)
    return {"least": windows.min(1)[: len(least)]}
