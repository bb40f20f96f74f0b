"""Density of a fluid of particles by Wendland's kernel; neighbours from a list of cells."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"cells": 14, "each": 4}
SMALL = {"cells": 3, "each": 2}


def make(rng, cells, each):
    """A cell is as wide as the kernel reaches; particles are sorted by cells."""
    n = cells**3 * each
    place = rng.uniform(0, cells, (n, 3)).astype(np.float32)
    cell = np.minimum(place.astype(np.int64), cells - 1)
    number = (cell[:, 2] * cells + cell[:, 1]) * cells + cell[:, 0]
    order = np.argsort(number, kind="stable")
    arrays = {
        "x": place[order, 0].copy(),
        "y": place[order, 1].copy(),
        "z": place[order, 2].copy(),
        "start": np.searchsorted(number[order], np.arange(cells**3 + 1)).astype(np.uint32),
        "density": np.zeros(n, np.float32),
    }
    launch = Launch("density", (np.uint32(n), np.uint32(cells), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("density",), rtol=1e-4, atol=1e-4)


def answer(problem):
    a = problem.arrays
    place = np.stack([a["x"], a["y"], a["z"]], 1).astype(np.float64)
    density = np.zeros(len(place))
    for first in range(0, len(place), 256):
        apart = place[first : first + 256, None] - place[None]
        q = 2 * np.sqrt((apart**2).sum(-1))
        density[first : first + 256] = np.where(q < 2, (1 - q / 2) ** 4 * (2 * q + 1), 0).sum(1)
    return {"density": density.astype(np.float32)}
