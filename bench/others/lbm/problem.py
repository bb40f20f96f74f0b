"""A step of a lattice Boltzmann fluid (D2Q9): nine planes in, nine planes out, and a division."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 512, "height": 256}
SMALL = {"width": 34, "height": 6}
OMEGA = np.float32(1.2)
WAYS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1))
WEIGHTS = (4 / 9, *(1 / 9,) * 4, *(1 / 36,) * 4)


def make(rng, width, height):
    """Planes have a border of one cell, which stays as it is."""
    shape = (9, height + 2, width + 2)
    arrays = {
        "f": (rng.uniform(0.9, 1.1, shape) * np.reshape(WEIGHTS, (9, 1, 1))).astype(np.float32),
        "g": np.zeros(shape, np.float32),
    }
    numbers = np.uint32(width), np.uint32(height), OMEGA
    launch = Launch("lbm", (*numbers, *arrays), (width, height), (256, 1))
    return Problem(arrays, [launch], ("g",))


def answer(problem):
    f = problem.arrays["f"].astype(np.float64)
    height, width = f.shape[1] - 2, f.shape[2] - 2
    came = [f[q, 1 - y : 1 - y + height, 1 - x : 1 - x + width] for q, (x, y) in enumerate(WAYS)]
    rho = sum(came)
    u = sum(x * c for (x, _), c in zip(WAYS, came, strict=True)) / rho
    v = sum(y * c for (_, y), c in zip(WAYS, came, strict=True)) / rho
    g = np.zeros_like(problem.arrays["g"])
    for q, (x, y) in enumerate(WAYS):
        along = x * u + y * v
        rest = WEIGHTS[q] * rho * (1 + 3 * along + 4.5 * along**2 - 1.5 * (u * u + v * v))
        g[q, 1:-1, 1:-1] = came[q] + OMEGA * (rest - came[q])
    return {"g": g}
