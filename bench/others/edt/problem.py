"""Squared distances along columns by the lower envelope of parabolas: a column a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4096}
SMALL = {"n": 90}
LENGTH = 64


def make(rng, n):
    near = rng.integers(0, 40, (LENGTH, n)) ** 2
    arrays = {
        "f": np.where(rng.random((LENGTH, n)) < 0.3, near, 4000).astype(np.int32),
        "distance": np.zeros((LENGTH, n), np.int32),
    }
    return Problem(arrays, [Launch("edt", (np.uint32(n), *arrays), (n,))], ("distance",))


def answer(problem):
    k = np.arange(LENGTH)
    apart = (k[:, None] - k) ** 2
    f = problem.arrays["f"]
    return {"distance": np.array([(f + a[:, None]).min(0) for a in apart], np.int32)}
