"""How often 16-bit samples fall into 64 bins: four copies of the bins in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 20, "groups": 32}
SMALL = {"n": 5000, "groups": 4}
GROUP = 256


def make(rng, n, groups):
    samples = np.clip(rng.normal(30000, 6000, n), 0, 65535).astype(np.uint16)
    arrays = {"x": samples, "bins": np.zeros(64, np.uint32)}
    items = groups * GROUP
    launch = Launch("privhist", (np.uint32(n), np.uint32(items), *arrays), (items,), (GROUP,))
    return Problem(arrays, [launch], ("bins",))


def answer(problem):
    return {"bins": np.bincount(problem.arrays["x"] >> 10, minlength=64).astype(np.uint32)}
