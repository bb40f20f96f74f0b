"""A Julia set in f64: a loop that pixels leave at different times."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 256, "height": 128, "limit": 200}
SMALL = {"width": 35, "height": 5, "limit": 30}
REAL, IMAGINARY = np.float64(-0.4), np.float64(0.6)


def make(rng, width, height, limit):
    arrays = {"count": np.zeros((height, width), np.uint32)}
    sizes = [np.uint32(size) for size in (width, height, limit)]
    launch = Launch("julia", (*sizes, REAL, IMAGINARY, "count"), (width, height), (256, 1))
    return Problem(arrays, [launch], ("count",), differing=0.02)


def answer(problem):
    sizes = problem.sizes
    x = (np.arange(sizes.width) / sizes.width - 0.5) * 3
    y = (np.arange(sizes.height) / sizes.height - 0.5) * 2
    z = x[None, :] + 1j * y[:, None]
    count, running = np.zeros(z.shape, np.uint32), np.ones(z.shape, bool)
    for _ in range(sizes.limit):
        running &= np.abs(z) <= 2
        z = np.where(running, z * z + complex(REAL, IMAGINARY), z)
        count += running
    return {"count": count}
