"""Eight columns of signed numbers sorted by Batcher's network, a row of eight a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 300}


def make(rng, n):
    arrays = {"x": rng.integers(-1 << 31, 1 << 31, (8, n)).astype(np.int32)}
    return Problem(arrays, [Launch("sortnet", (np.uint32(n), *arrays), (n,))], ("x",))


def answer(problem):
    return {"x": np.sort(problem.arrays["x"], axis=0)}
