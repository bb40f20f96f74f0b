"""Autocorrelations of windowed frames: sums that are shorter for greater lags."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"lags": 64, "frames": 200, "size": 400, "hop": 160}
SMALL = {"lags": 20, "frames": 3, "size": 60, "hop": 16}


def make(rng, lags, frames, size, hop):
    arrays = {
        "x": rng.standard_normal(frames * hop + size, np.float32),
        "window": np.hanning(size).astype(np.float32),
        "y": np.zeros((frames, lags), np.float32),
    }
    numbers = tuple(map(np.uint32, (lags, frames, size, hop)))
    launch = Launch("autocorr", (*numbers, *arrays), (lags, frames), (lags, 2))
    return Problem(arrays, [launch], ("y",), rtol=1e-3, atol=1e-3)


def answer(problem):
    x, window = (problem.arrays[name].astype(np.float64) for name in ("x", "window"))
    lags, frames, size, hop = (int(n) for n in problem.launches[0].arguments[:4])
    windows = np.lib.stride_tricks.sliding_window_view(x, size)[: frames * hop : hop] * window
    y = [(windows[:, : size - lag] * windows[:, lag:]).sum(1) for lag in range(lags)]
    return {"y": np.stack(y, 1).astype(np.float32)}
