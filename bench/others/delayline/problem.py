"""Filters of 16 taps over a line of the last samples, a channel a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 40}
TAPS = np.round(0.54 - 0.46 * np.cos(2 * np.pi * np.arange(16) / 15), 6)


def make(rng, n):
    x = rng.standard_normal((64, n)).astype(np.float32)
    arrays = {"x": x, "y": np.zeros_like(x)}
    launch = Launch("delayline", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("y",), rtol=1e-4, atol=1e-5)


def answer(problem):
    x = problem.arrays["x"].astype(np.float64)
    y = np.zeros_like(x)
    for k, tap in enumerate(TAPS):
        y[k:] += tap * x[: len(x) - k]
    return {"y": y.astype(np.float32)}
