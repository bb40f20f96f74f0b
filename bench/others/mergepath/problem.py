"""Two sorted arrays merged along their merge path, 16 numbers of the result a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 160}
PART = 16


def make(rng, n):
    arrays = {
        "a": np.sort(rng.integers(0, 1 << 31, n, np.uint32)),
        "b": np.sort(rng.integers(0, 1 << 31, n, np.uint32)),
        "merged": np.zeros(2 * n, np.uint32),
    }
    items = 2 * n // PART
    launch = Launch("mergepath", (np.uint32(n), *arrays), (items,), (128,))
    return Problem(arrays, [launch], ("merged",))


def answer(problem):
    return {"merged": np.sort(np.concatenate([problem.arrays["a"], problem.arrays["b"]]))}
