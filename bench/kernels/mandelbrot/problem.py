"""Iterations of z = z^2 + c until |z| > 2: a loop that lanes leave at different times."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 1024, "height": 1024, "limit": 256}
SMALL = {"width": 70, "height": 13, "limit": 50}


def frame(width, height):
    """The first point and the steps, as f32."""
    return np.array([-2.0, -1.5, 3.0 / width, 3.0 / height], np.float32)


def make(rng, width, height, limit):
    arguments = (*map(np.uint32, (width, height, limit)), *frame(width, height), "count")
    launch = Launch("mandelbrot", arguments, (width, height), (256, 1))
    count = np.zeros(width * height, np.uint32)
    # Columns may contract to fused multiply-adds; the last bit decides at the edge of the set.
    return Problem({"count": count}, [launch], ("count",), differing=0.01)


def answer(problem):
    width, height = problem.sizes.width, problem.sizes.height
    x0, y0, dx, dy = frame(width, height)
    cr = np.tile(x0 + dx * np.arange(width, dtype=np.float32), height)
    ci = np.repeat(y0 + dy * np.arange(height, dtype=np.float32), width)
    zr, zi = cr, ci
    count = np.zeros(width * height, np.uint32)
    inside = np.arange(count.size)
    for _ in range(problem.sizes.limit):
        stays = zr * zr + zi * zi <= 4
        if not stays.all():
            inside = inside[stays]
            cr, ci, zr, zi = (v[stays] for v in (cr, ci, zr, zi))
        count[inside] += 1
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    return {"count": count}
