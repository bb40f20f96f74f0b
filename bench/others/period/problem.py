"""A view of Mandelbrot's set: points are inside if their orbit repeats within a small distance."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"w": 256, "h": 128, "limit": 1000}
SMALL = {"w": 32, "h": 16, "limit": 40}


def make(rng, w, h, limit):
    arrays = {"steps": np.zeros((h, w), np.uint32)}
    sizes = np.uint32(w), np.uint32(h), np.uint32(limit)
    launch = Launch("period", (*sizes, *arrays), (w, h), (64, 4))
    return Problem(arrays, [launch], ("steps",), differing=0.01)


def answer(problem):
    h, w = problem.arrays["steps"].shape
    limit = problem.sizes.limit
    one = np.float32
    a, b = np.meshgrid(
        np.arange(w, dtype=one) * (one(3) / one(w)) - one(2.2),
        np.arange(h, dtype=one) * (one(2.4) / one(h)) - one(1.2),
    )
    x, y, old_x, old_y = (np.zeros((h, w), one) for _ in range(4))
    steps = np.full((h, w), limit, np.uint32)
    active, saved = np.ones((h, w), bool), 8
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(limit):
            leaves = active & ~(x * x + y * y <= 4)
            steps[leaves] = k
            active &= ~leaves
            x, y = x * x - y * y + a, 2 * x * y + b
            active &= ~((abs(x - old_x) < one(1e-6)) & (abs(y - old_y) < one(1e-6)))
            if k + 1 == saved:
                old_x, old_y, saved = x, y, 2 * saved
    return {"steps": steps}
