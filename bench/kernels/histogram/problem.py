"""How often each byte occurs: atomic additions in group memory, then to the result."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 22, "groups": 64}
SMALL = {"n": 5000, "groups": 4}
GROUP = 256


def make(rng, n, groups):
    arrays = {
        "x": rng.integers(0, 256, n, np.uint8),
        "bins": np.zeros(256, np.uint32),
    }
    items = groups * GROUP
    launch = Launch("histogram", (np.uint32(n), np.uint32(items), *arrays), (items,), (GROUP,))
    return Problem(arrays, [launch], ("bins",))


def answer(problem):
    return {"bins": np.bincount(problem.arrays["x"], minlength=256).astype(np.uint32)}
