"""A particle filter's resampling: the first place of the distribution not below u (Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 8192}
SMALL = {"n": 200}


def make(rng, n):
    weight = rng.random(n, np.float32)
    cdf = np.cumsum(weight / weight.sum(dtype=np.float32), dtype=np.float32)
    first = rng.random() / n
    arrays = {
        "cdf": cdf,
        "u": (first + np.arange(n) / n).astype(np.float32),
        "x": rng.standard_normal(n).astype(np.float32),
        "y": rng.standard_normal(n).astype(np.float32),
        "new_x": np.zeros(n, np.float32),
        "new_y": np.zeros(n, np.float32),
    }
    launch = Launch("resample", (np.uint32(n), *arrays), (n,), (128,))
    return Problem(arrays, [launch], ("new_x", "new_y"))


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    place = np.minimum(np.searchsorted(a["cdf"], a["u"]), n - 1)
    return {"new_x": a["x"][place], "new_y": a["y"][place]}
