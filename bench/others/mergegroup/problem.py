"""Merge sort in group memory: each number finds its rank in the neighbouring run by bisection."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"blocks": 24}
SMALL = {"blocks": 2}


def make(rng, blocks):
    arrays = {
        "x": rng.integers(0, 2000, blocks * 256, np.uint32),
        "y": np.zeros(blocks * 256, np.uint32),
    }
    return Problem(
        arrays, [Launch("mergegroup", (*arrays, np.uint32(blocks)), (blocks * 256,))], ("y",)
    )


def answer(problem):
    return {"y": np.sort(problem.arrays["x"].reshape(-1, 256), axis=1).ravel()}
