"""The gradients of a batch normalisation, channels last: sums down columns, then a pass."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 2048, "channels": 192}
SMALL = {"rows": 20, "channels": 70}


def make(rng, rows, channels):
    def vector():
        return rng.uniform(0.5, 1.5, channels).astype(np.float32)

    arrays = {
        "x": rng.standard_normal((rows, channels), np.float32),
        "dy": rng.standard_normal((rows, channels), np.float32),
        "mean": vector(),
        "factor": vector(),
        "scale": vector(),
        "dscale": np.zeros(channels, np.float32),
        "dshift": np.zeros(channels, np.float32),
        "dx": np.zeros((rows, channels), np.float32),
    }
    sizes = np.uint32(rows), np.uint32(channels)
    sums = [name for name in arrays if name not in ("scale", "dx")]
    launches = [
        Launch("bnsums", (*sizes, *sums), (channels,), (64,)),
        Launch("bninput", (*sizes, *arrays), (channels, rows), (192, 1)),
    ]
    return Problem(arrays, launches, ("dscale", "dshift", "dx"), rtol=1e-3, atol=1e-2)


def answer(problem):
    a = {name: array.astype(np.float64) for name, array in problem.arrays.items()}
    x, rows = (a["x"] - a["mean"]) * a["factor"], len(a["x"])
    dscale, dshift = (x * a["dy"]).sum(0), a["dy"].sum(0)
    dx = (a["dy"] * rows - dshift - x * dscale) * (a["scale"] * a["factor"] / rows)
    got = {"dscale": dscale, "dshift": dshift, "dx": dx}
    return {name: array.astype(np.float32) for name, array in got.items()}
