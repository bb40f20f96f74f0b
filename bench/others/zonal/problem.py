"""Means of the eight nodes of listed zones (ZONAL_ACCUMULATION_3D of RAJAPerf)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 50}
SMALL = {"size": 7}


def make(rng, size):
    line, plane = size + 1, (size + 1) ** 2
    first, second, third = np.ogrid[:size, :size, :size]
    zones = (first * plane + second * line + third).ravel().astype(np.uint32)
    x = rng.random((line, line, line))
    arrays = {"zones": zones, "x": x, "zonal": np.zeros_like(x)}
    numbers = np.uint32(zones.size), np.uint32(line), np.uint32(plane)
    return Problem(arrays, [Launch("zonal", (*numbers, *arrays), (zones.size,))], ("zonal",))


def answer(problem):
    x, zonal = problem.arrays["x"], np.zeros_like(problem.arrays["x"])
    in_rows = x[:, :, :-1] + x[:, :, 1:]
    in_planes = in_rows[:, :-1] + in_rows[:, 1:]
    zonal[:-1, :-1, :-1] = (in_planes[:-1] + in_planes[1:]) / 8
    return {"zonal": zonal}
