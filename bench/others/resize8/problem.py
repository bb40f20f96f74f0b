"""A grey image of bytes in another size: bilinear interpolation with fixed-point weights."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"w": 640, "h": 480, "width": 800, "height": 600}
SMALL = {"w": 40, "h": 30, "width": 64, "height": 20}


def make(rng, w, h, width, height):
    arrays = {"x": rng.integers(0, 256, (h, w), np.uint8), "y": np.zeros((height, width), np.uint8)}
    scales = (w - 1 << 16) // (width - 1), (h - 1 << 16) // (height - 1)
    sizes = tuple(map(np.uint32, (w, h, width, height, *scales)))
    launch = Launch("resize8", (*sizes, *arrays), (-(-width // 32) * 32, height), (32, 4))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    w, h, width, height, across, down = map(int, problem.launches[0].arguments[:6])
    x = problem.arrays["x"].astype(np.uint32)
    at, below = np.arange(width) * across, np.arange(height)[:, None] * down
    left, top, fx, fy = at >> 16, below >> 16, (at >> 8) & 255, (below >> 8) & 255
    right, bottom = np.minimum(left + 1, w - 1), np.minimum(top + 1, h - 1)
    upper = x[top, left] * (256 - fx) + x[top, right] * fx
    lower = x[bottom, left] * (256 - fx) + x[bottom, right] * fx
    return {"y": ((upper * (256 - fy) + lower * fy + 32768) >> 16).astype(np.uint8)}
