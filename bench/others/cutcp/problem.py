"""Cutoff Coulomb potential (Parboil's cutcp): points of a plane, atoms in cells, near ones only."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"cells": 12, "points": 8, "atoms": 1500}
SMALL = {"cells": 4, "points": 5, "atoms": 60}


def make(rng, cells, points, atoms):
    place = rng.uniform(0, cells, (2, atoms))
    cell = place.astype(int)
    flat = cell[1] * cells + cell[0]
    order = flat.argsort(kind="stable")
    arrays = {
        "start": np.append(0, np.bincount(flat, minlength=cells**2).cumsum()).astype(np.uint32),
        "x": place[0][order].astype(np.float32),
        "y": place[1][order].astype(np.float32),
        "z": rng.uniform(0.05, 1, atoms).astype(np.float32),
        "charge": rng.normal(size=atoms).astype(np.float32),
    }
    side = cells * points
    arrays["out"] = np.zeros((side, side), np.float32)
    scalars = np.uint32(side), np.uint32(side), np.uint32(cells), np.float32(1 / points)
    launch = Launch("cutcp", (*scalars, *arrays), (side, side), (16, 16))
    return Problem(arrays, [launch], ("out",), rtol=1e-3, atol=1e-3)


def answer(problem):
    _, x, y, z, charge, out = (array.astype(np.float64) for array in problem.arrays.values())
    at = np.arange(len(out)) / problem.sizes.points
    for j, v in enumerate(at):
        d = (x - at[:, None]) ** 2 + (y - v) ** 2 + z**2
        out[j] = (charge * (1 - d).clip(0) ** 2 / np.sqrt(d)).sum(1)
    return {"out": out.astype(np.float32)}
