"""Detection of leukocytes (GICOV): gradients along circles of four radii around each pixel."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 75, "height": 50}
SMALL = {"width": 9, "height": 5}


def make(rng, width, height):
    angle = 2 * np.pi * np.arange(24) / 24
    radius = np.arange(4, 8)[:, None]
    arrays = {
        "dx": rng.standard_normal((height + 16, width + 16)).astype(np.float32),
        "dy": rng.standard_normal((height + 16, width + 16)).astype(np.float32),
        "sines": np.sin(angle).astype(np.float32),
        "cosines": np.cos(angle).astype(np.float32),
        "tx": np.rint(radius * np.cos(angle)).astype(np.int32),
        "ty": np.rint(radius * np.sin(angle)).astype(np.int32),
        "score": np.zeros((height, width), np.float32),
    }
    launch = Launch(
        "gicov", (np.uint32(width), np.uint32(height), *arrays), (width, height), (32, 4)
    )
    return Problem(arrays, [launch], ("score",), rtol=1e-3, atol=1e-4)


def answer(problem):
    dx, dy, sines, cosines, tx, ty, score = problem.arrays.values()
    y, x = np.indices(score.shape)
    at = y + 8 + ty[:, :, None, None], x + 8 + tx[:, :, None, None]
    along = cosines[:, None, None], sines[:, None, None]
    g = dx[at].astype(np.float64) * along[0] + dy[at] * along[1]
    found = g.mean(1) ** 2 / (g.var(1, ddof=1) + 0.001)
    return {"score": found.max(0).astype(np.float32)}
