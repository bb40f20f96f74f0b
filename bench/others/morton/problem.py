"""Morton codes of 63 bits of points in three dimensions: shifts and masks of 64 bits."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 300}


def make(rng, n):
    arrays = {d: rng.integers(0, 1 << 21, n, np.uint32) for d in "xyz"}
    arrays["code"] = np.zeros(n, np.uint64)
    return Problem(arrays, [Launch("morton", (np.uint32(n), *arrays), (n,))], ("code",))


def answer(problem):
    code = np.zeros(problem.sizes.n, np.uint64)
    for d, name in enumerate("xyz"):
        number = problem.arrays[name].astype(np.uint64)
        for k in range(21):
            code |= (number >> np.uint64(k) & np.uint64(1)) << np.uint64(3 * k + d)
    return {"code": code}
