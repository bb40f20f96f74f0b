"""A causal convolution of each channel along time: four taps, bias and SiLU."""

import numpy as np
from peers.problem import Launch, Problem

TAPS = 4
FULL = {"channels": 384, "times": 1024}
SMALL = {"channels": 70, "times": 6}


def make(rng, channels, times):
    arrays = {
        "x": rng.normal(0, 1, (times, channels)).astype(np.float32),
        "taps": rng.uniform(-1, 1, (channels, TAPS)).astype(np.float32),
        "bias": rng.uniform(-1, 1, channels).astype(np.float32),
        "y": np.zeros((times, channels), np.float32),
    }
    arguments = (np.uint32(channels), np.uint32(times), *arrays)
    return Problem(
        arrays, [Launch("causalconv", arguments, (channels, times), (128, 1))], ("y",), rtol=1e-4
    )


def answer(problem):
    a = {name: array.astype(np.float64) for name, array in problem.arrays.items()}
    times = len(a["x"])
    padded = np.concatenate((np.zeros((TAPS - 1, a["x"].shape[1])), a["x"]))
    total = a["bias"] + sum(padded[k : k + times] * a["taps"][:, k] for k in range(TAPS))
    return {"y": (total / (1 + np.exp(-total))).astype(np.float32)}
