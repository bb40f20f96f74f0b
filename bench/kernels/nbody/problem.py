"""Accelerations of n bodies by all others: a uniform loop with a square root and a division."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4096}
SMALL = {"n": 70}
SOFT = np.float32(0.01)


def make(rng, n):
    arrays = {name: rng.uniform(-1, 1, n).astype(np.float32) for name in "xyz"}
    arrays["mass"] = rng.random(n, np.float32)
    arrays |= {name: np.zeros(n, np.float32) for name in ("ax", "ay", "az")}
    launch = Launch("nbody", (np.uint32(n), SOFT, *arrays), (n,))
    return Problem(arrays, [launch], ("ax", "ay", "az"), rtol=1e-3, atol=1e-2)


def answer(problem):
    place = np.stack([problem.arrays[name] for name in "xyz"]).astype(np.float64)
    mass = problem.arrays["mass"].astype(np.float64)
    sums = []
    for block in np.array_split(np.arange(problem.sizes.n), 16):
        apart = place[:, None, :] - place[:, block, None]
        weight = mass * ((apart**2).sum(axis=0) + SOFT) ** -1.5
        sums.append((apart * weight).sum(axis=2))
    return dict(zip(("ax", "ay", "az"), np.concatenate(sums, 1).astype(np.float32), strict=True))
