"""Lennard-Jones forces on atoms, from lists of neighbours (as SHOC's MD)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 8192, "neighbours": 64}
SMALL = {"n": 100, "neighbours": 12}
CUT, LJ1, LJ2 = np.float32(0.01), np.float32(1.5e-12), np.float32(2e-6)


def make(rng, n, neighbours):
    side = round(n ** (1 / 3)) + 1
    cell = np.stack(np.unravel_index(np.arange(n), (side, side, side)), 1)
    place = ((cell + rng.uniform(-0.2, 0.2, (n, 3))) / 21).astype(np.float32)
    nearest = np.empty((n, neighbours), np.uint32)
    for first in range(0, n, 256):
        apart = place[first : first + 256, None] - place[None]
        squares = (apart * apart).sum(-1)
        order = np.argpartition(squares, neighbours, 1)[:, : neighbours + 1]
        others = order[order != first + np.arange(len(order))[:, None]]
        nearest[first : first + 256] = others.reshape(len(order), neighbours)
    four = np.zeros((n, 4), np.float32)
    four[:, :3] = place
    arrays = {
        "place": four,
        "nearest": np.ascontiguousarray(nearest.T),
        "force": np.zeros((n, 4), np.float32),
    }
    numbers = (np.uint32(n), np.uint32(neighbours), CUT, LJ1, LJ2)
    launch = Launch("md", (*numbers, *arrays), (n,))
    return Problem(arrays, [launch], ("force",), rtol=1e-3, atol=1e-3, differing=1e-3)


def answer(problem):
    a = problem.arrays
    place = a["place"][:, :3].astype(np.float64)
    force = np.zeros_like(a["force"])
    apart = place[None] - place[a["nearest"]]
    squares = (apart * apart).sum(-1)
    inverse = 1 / squares
    sixth = inverse**3
    size = np.where(squares < CUT, inverse * sixth * (LJ1 * sixth - LJ2), 0)
    force[:, :3] = (apart * size[..., None]).sum(0)
    return {"force": force}
