"""A rasteriser: a small triangle a work-item, into a buffer of depths by atomic minima."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"triangles": 6000, "width": 512, "height": 512}
SMALL = {"triangles": 30, "width": 40, "height": 30}


def make(rng, triangles, width, height):
    centre = rng.integers(0, (width, height), (triangles, 1, 2))
    corner = centre + rng.integers(-8, 9, (triangles, 3, 2))
    a, b, c = corner.transpose(1, 2, 0)
    behind = (b[0] - a[0]) * (c[1] - a[1]) < (b[1] - a[1]) * (c[0] - a[0])
    corner[behind] = corner[behind][:, ::-1]
    arrays = {
        "corner": corner.astype(np.int32),
        "depth": rng.integers(0, 1 << 20, triangles, np.uint32),
        "buffer": np.full((height, width), 0xFFFFFFFF, np.uint32),
    }
    numbers = tuple(map(np.uint32, (triangles, width, height)))
    launch = Launch("raster", (*numbers, *arrays), (triangles,), (64,))
    return Problem(arrays, [launch], ("buffer",))


def answer(problem):
    buffer = problem.arrays["buffer"].copy()
    height, width = buffer.shape
    for corner, depth in zip(problem.arrays["corner"], problem.arrays["depth"], strict=True):
        left, top = np.maximum(corner.min(0), 0)
        right, bottom = np.minimum(corner.max(0), (width - 1, height - 1)) + 1
        if left >= right or top >= bottom:
            continue
        y, x = np.ogrid[top:bottom, left:right]
        inside = True
        for (ax, ay), (bx, by) in zip(corner, np.roll(corner, -1, 0), strict=True):
            inside = inside & ((bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0)
        box = buffer[top:bottom, left:right]
        box[inside] = np.minimum(box[inside], depth)
    return {"buffer": buffer}
