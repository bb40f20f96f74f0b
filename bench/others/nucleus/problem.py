"""Sampling of words: shares, the largest first, are subtracted from a draw until it is negative."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1000, "words": 1000}
SMALL = {"n": 40, "words": 50}


def make(rng, n, words):
    share = rng.gamma(0.1, 1, (n, words))
    share = -np.sort(-share / share.sum(1, keepdims=True), 1)
    arrays = {
        "share": share.astype(np.float32),
        "draw": rng.random(n, np.float32) * np.float32(0.95),
        "chosen": np.zeros(n, np.uint32),
    }
    launch = Launch("nucleus", (np.uint32(n), np.uint32(words), *arrays), (n,))
    return Problem(arrays, [launch], ("chosen",))


def answer(problem):
    share, draw, _ = problem.arrays.values()
    left, chosen = draw.copy(), np.zeros(len(draw), np.uint32)
    running = np.ones(len(draw), bool)
    for w in range(share.shape[1] - 1):
        left = np.where(running, left - share[:, w], left)
        running &= left >= 0
        chosen += running
    return {"chosen": chosen}
