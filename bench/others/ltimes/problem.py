"""Moments of a flux by its directions, summed in memory (LTIMES of RAJAPerf): rows of 25."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"zones": 400, "groups": 16, "moments": 25, "directions": 64}
SMALL = {"zones": 4, "groups": 3, "moments": 25, "directions": 8}


def make(rng, zones, groups, moments, directions):
    shapes = {"ell": (directions, moments), "psi": (zones, groups, directions)}
    shapes["phi"] = zones, groups, moments
    arrays = {name: rng.random(shape, np.float32) for name, shape in shapes.items()}
    arguments = *map(np.uint32, (moments, groups, zones, directions)), *arrays
    items = moments, groups, zones
    return Problem(arrays, [Launch("ltimes", arguments, items, (32, 4, 2))], ("phi",))


def answer(problem):
    ell, psi, phi = (a.astype(np.float64) for a in problem.arrays.values())
    return {"phi": (phi + psi @ ell).astype(np.float32)}
