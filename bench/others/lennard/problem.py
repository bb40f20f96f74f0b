"""Lennard-Jones forces of all pairs in f64: a division a pair, the pair with itself left out."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1024}
SMALL = {"n": 70}


def make(rng, n):
    side = int(np.ceil(n ** (1 / 3)))
    places = np.stack(np.unravel_index(np.arange(n), (side,) * 3)) * 1.1
    arrays = dict(zip("xyz", places + rng.uniform(-0.1, 0.1, places.shape), strict=True))
    arrays |= {name: np.zeros(n) for name in ("fx", "fy", "fz")}
    return Problem(arrays, [Launch("lennard", (np.uint32(n), *arrays), (n,))], ("fx", "fy", "fz"))


def answer(problem):
    place = np.stack([problem.arrays[name] for name in "xyz"])
    apart = place[:, :, None] - place[:, None, :]
    square = (apart**2).sum(axis=0)
    np.fill_diagonal(square, 1)
    sixth = square**-3
    weight = (48 * sixth - 24) * sixth / square
    np.fill_diagonal(weight, 0)
    return dict(zip(("fx", "fy", "fz"), (apart * weight).sum(axis=2), strict=True))
