"""Numbers below a limit side by side in rows of 32: a warp counts them by a ballot."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"groups": 1 << 12}
SMALL = {"groups": 3}
GROUP, ROW, LIMIT = 256, 32, 1 << 30


def make(rng, groups):
    n = groups * GROUP
    arrays = {
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "y": np.zeros(n, np.uint32),
        "counts": np.zeros(n // ROW, np.uint32),
    }
    launch = Launch("ballot", (np.uint32(n), np.uint32(LIMIT), *arrays), (n,), (GROUP,))
    return Problem(arrays, [launch], ("y", "counts"))


def answer(problem):
    rows = problem.arrays["x"].reshape(-1, ROW)
    low = rows < LIMIT
    y = np.zeros_like(rows)
    y[np.nonzero(low)[0], (low.cumsum(1) - 1)[low]] = rows[low]
    return {"y": y.ravel(), "counts": low.sum(1, dtype=np.uint32)}
