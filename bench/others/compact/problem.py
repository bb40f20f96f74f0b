"""Numbers below a limit side by side: a scan in workgroups of 192, and where each one stores."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"groups": 1 << 11}
SMALL = {"groups": 3}
GROUP, LIMIT = 192, 1 << 30


def make(rng, groups):
    n = groups * GROUP
    x = rng.integers(0, 1 << 32, n, np.uint32)
    counts = (x < LIMIT).reshape(groups, GROUP).sum(1)
    arrays = {
        "first": np.append(0, np.cumsum(counts)[:-1]).astype(np.uint32),
        "x": x,
        "y": np.zeros(n, np.uint32),
    }
    launch = Launch("compact", (np.uint32(n), np.uint32(LIMIT), *arrays), (n,), (GROUP,))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    x = problem.arrays["x"]
    y = np.zeros_like(x)
    low = x[x < LIMIT]
    y[: len(low)] = low
    return {"y": y}
