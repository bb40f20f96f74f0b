"""What each point gains if a candidate becomes a centre: distances in many dimensions (Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 16384, "dims": 32, "centres": 10}
SMALL = {"n": 256, "dims": 8, "centres": 4}


def make(rng, n, dims, centres):
    arrays = {
        "weight": rng.random(n, np.float32),
        "assigned": rng.integers(0, n, n, np.uint32),
        "cost": (rng.random(n, np.float32) * np.float32(dims / 6)),
        "coordinate": rng.random((dims, n), np.float32),
        "table": rng.integers(0, centres, n, np.uint32),
        "switches": np.zeros(n, np.uint8),
        "lower": np.zeros((n, centres + 1), np.float32),
    }
    numbers = (np.uint32(n), np.uint32(dims), np.uint32(n // 3), np.uint32(centres))
    written = ("switches", "lower")
    launch = Launch("gain", (*numbers, *arrays), (n,))
    return Problem(arrays, [launch], written, rtol=1e-4, atol=1e-4, differing=1e-3)


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    x = a["coordinate"].astype(np.float64)
    far = ((x - x[:, n // 3, None]) ** 2).sum(0) * a["weight"]
    nearer = far < a["cost"]
    lower = a["lower"].copy()
    place = np.where(nearer, problem.sizes.centres, a["table"][a["assigned"]])
    lower[np.arange(n), place] += np.where(nearer, far - a["cost"], a["cost"] - far)
    return {"switches": nearer.astype(np.uint8), "lower": lower}
