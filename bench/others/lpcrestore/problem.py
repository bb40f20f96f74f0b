"""Linear prediction undone as in FLAC: each sample is predicted by the eight before it."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1003}
SMALL = {"n": 35}


def make(rng, n):
    arrays = {
        "rest": np.round(rng.normal(0, 40, (n, 256))).astype(np.int32),
        "factor": rng.integers(-60, 100, (n, 8)).astype(np.int32),
        "sound": np.zeros((n, 256), np.int32),
    }
    return Problem(arrays, [Launch("lpcrestore", (np.uint32(n), *arrays), (n,))], ("sound",))


def answer(problem):
    rest, factor, _ = problem.arrays.values()
    sound = rest.copy()
    for t in range(8, 256):
        sound[:, t] += (factor * sound[:, t - 8 : t][:, ::-1]).sum(1, dtype=np.int32) >> 9
    return {"sound": sound}
