"""A folded normalisation of channels (a scale and a shift) and a rectifier, by flat numbers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"channels": 96, "pixels": 56 * 56}
SMALL = {"channels": 37, "pixels": 30}


def make(rng, channels, pixels):
    arrays = {
        "x": rng.standard_normal((pixels, channels), np.float32),
        "scale": rng.random(channels, np.float32),
        "shift": rng.standard_normal(channels, np.float32),
        "y": np.zeros((pixels, channels), np.float32),
    }
    n = channels * pixels
    sizes = np.uint32(n), np.uint32(channels)
    return Problem(arrays, [Launch("batchnorm", (*sizes, *arrays), (n,))], ("y",), atol=1e-5)


def answer(problem):
    a = problem.arrays
    return {"y": np.maximum(a["x"] * a["scale"] + a["shift"], np.float32(0))}
