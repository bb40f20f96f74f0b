"""The largest of 32 numbers from each place on: groups of 256 load 287 numbers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 19}
SMALL = {"n": 1024}
WINDOW = 32


def make(rng, n):
    arrays = {
        "x": rng.integers(-1000, 1000, n + WINDOW - 1, np.int32),
        "y": np.zeros(n, np.int32),
    }
    return Problem(arrays, [Launch("slidemax", (np.uint32(n), *arrays), (n,))], ("y",))


def answer(problem):
    windows = np.lib.stride_tricks.sliding_window_view(problem.arrays["x"], WINDOW)
    return {"y": windows.max(1)}
