"""Structural similarity of two images: five sums over windows of 7 x 7 around each pixel."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 384, "height": 256}
SMALL = {"width": 21, "height": 6}


def make(rng, width, height):
    a = rng.random((height + 6, width + 6), np.float32)
    b = a + rng.normal(0, 0.2, a.shape).astype(np.float32)
    arrays = {"a": a, "b": b, "ssim": np.zeros((height, width), np.float32)}
    launch = Launch(
        "ssim", (np.uint32(width), np.uint32(height), *arrays), (width, height), (64, 2)
    )
    return Problem(arrays, [launch], ("ssim",), rtol=1e-3, atol=1e-3)


def answer(problem):
    a, b = (problem.arrays[name].astype(np.float64) for name in "ab")
    height, width = problem.arrays["ssim"].shape

    def mean(x):
        cells = [x[j : j + height, i : i + width] for j in range(7) for i in range(7)]
        return np.mean(cells, axis=0)

    ma, mb = mean(a), mean(b)
    va, vb, cov = mean(a * a) - ma * ma, mean(b * b) - mb * mb, mean(a * b) - ma * mb
    top = (2 * ma * mb + 1e-4) * (2 * cov + 9e-4)
    return {"ssim": (top / ((ma * ma + mb * mb + 1e-4) * (va + vb + 9e-4))).astype(np.float32)}
