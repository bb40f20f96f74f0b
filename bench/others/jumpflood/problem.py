"""A Voronoi diagram by jump flooding: nine cells at a distance that halves, a launch a distance."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"w": 130, "h": 99, "seeds": 60}
SMALL = {"w": 21, "h": 11, "seeds": 5}
NONE = 0xFFFFFFFF


def make(rng, w, h, seeds):
    grid = np.full((h, w), NONE, np.uint32)
    x, y = rng.integers(0, w, seeds), rng.integers(0, h, seeds)
    grid[y, x] = y << 16 | x
    arrays = {"one": grid, "other": np.zeros_like(grid)}
    launches, names, step = [], ["one", "other"], 64
    while step:
        scalars = np.uint32(w), np.uint32(h), np.int32(step)
        launches.append(Launch("jumpflood", (*scalars, *names), (w, h), (32, 8)))
        names.reverse()
        step //= 2
    return Problem(arrays, launches, ("one", "other"))


def answer(problem):
    grids = [problem.arrays["one"].astype(np.int64), problem.arrays["other"]]
    h, w = grids[0].shape
    y, x = np.mgrid[:h, :w]
    for launch in problem.launches:
        step, grid = int(launch.arguments[2]), grids[0]
        padded = np.pad(grid, step, constant_values=NONE)
        best, least = np.full((h, w), NONE), np.full((h, w), 1 << 31)
        for dy in (0, step, 2 * step):
            for dx in (0, step, 2 * step):
                seed = padded[dy : dy + h, dx : dx + w]
                distance = ((seed & 0xFFFF) - x) ** 2 + ((seed >> 16) - y) ** 2
                better = (seed != NONE) & (distance < least)
                best, least = np.where(better, seed, best), np.where(better, distance, least)
        grids = [best, grid]
    if len(problem.launches) % 2:
        grids.reverse()
    return {"one": grids[0].astype(np.uint32), "other": grids[1].astype(np.uint32)}
