"""A lattice gas (HPP), cells of 16 bits on a torus: four directions, walls, collisions."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 1000, "height": 400, "steps": 4}
SMALL = {"width": 45, "height": 9, "steps": 2}
WALL = 16


def make(rng, width, height, steps):
    cells = rng.integers(0, 16, (height, width), np.uint16)
    cells[rng.random((height, width)) < 0.02] = WALL
    arrays = {"one": cells, "other": np.zeros_like(cells)}
    sizes = np.uint32(width), np.uint32(height)
    launches = [
        Launch("latgas", (*sizes, *pair), (width, height), (64, 4))
        for pair in (("one", "other"), ("other", "one")) * (steps // 2)
    ]
    return Problem(arrays, launches, ("one",))


def answer(problem):
    a = problem.arrays["one"].astype(np.int32)
    for _ in range(problem.sizes.steps):
        left, right = np.roll(a, 1, 1) & 1, np.roll(a, -1, 1) & 2
        up, down = np.roll(a, 1, 0) & 4, np.roll(a, -1, 0) & 8
        got, wall = left | right | up | down, a & WALL
        back = (got & 5) << 1 | (got & 10) >> 1 | wall
        a = np.where(wall != 0, back, np.where((got == 3) | (got == 12), got ^ 15, got))
    return {"one": a.astype(np.uint16)}
