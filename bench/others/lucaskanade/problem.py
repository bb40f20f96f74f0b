"""Optical flow by Lucas and Kanade: windows of 5 x 5 in three planes of differences."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 512, "height": 128}
SMALL = {"width": 50, "height": 5}


def make(rng, width, height):
    shape = (height + 4, width + 4)
    arrays = {name: rng.standard_normal(shape, np.float32) for name in ("gx", "gy", "gt")}
    arrays |= {name: np.zeros((height, width), np.float32) for name in "uv"}
    numbers = np.uint32(width), np.uint32(height)
    launch = Launch("lucaskanade", (*numbers, *arrays), (width, height), (32, 8))
    return Problem(arrays, [launch], ("u", "v"), rtol=1e-3, atol=1e-4)


def answer(problem):
    gx, gy, gt = (problem.arrays[name].astype(np.float64) for name in ("gx", "gy", "gt"))

    def window(product):
        return np.lib.stride_tricks.sliding_window_view(product, (5, 5)).sum((2, 3))

    pairs = ((gx, gx), (gx, gy), (gy, gy), (gx, gt), (gy, gt))
    xx, xy, yy, xt, yt = (window(a * b) for a, b in pairs)
    determinant = xx * yy - xy * xy
    u, v = (xy * yt - yy * xt) / determinant, (xy * xt - xx * yt) / determinant
    return {"u": u.astype(np.float32), "v": v.astype(np.float32)}
