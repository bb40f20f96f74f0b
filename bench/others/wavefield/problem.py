"""Steps of a wave in two dimensions, five points; the borders stay. Three arrays take turns."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"wide": 200, "high": 200, "steps": 20}
SMALL = {"wide": 70, "high": 6, "steps": 3}
SPEED = np.float32(0.2)


def make(rng, wide, high, steps):
    arrays = {name: np.zeros((high, wide), np.float32) for name in ("before", "now", "next")}
    arrays["now"][1:-1, 1:-1] = rng.random((high - 2, wide - 2), np.float32)
    names, launches = ["before", "now", "next"], []
    for _ in range(steps):
        numbers = np.uint32(wide), np.uint32(high), SPEED
        launches.append(Launch("wavefield", (*numbers, *names), (wide, high), (16, 16)))
        names = [*names[1:], names[0]]
    return Problem(arrays, launches, ("before", "now", "next"))


def answer(problem):
    before, now, after = (problem.arrays[n].copy() for n in ("before", "now", "next"))
    names = ["before", "now", "next"]
    for _ in range(problem.sizes.steps):
        core = now[1:-1, 1:-1]
        near = now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1]
        change = SPEED * (near - 4 * core)
        after[1:-1, 1:-1] = 2 * core - before[1:-1, 1:-1] + change
        before, now, after = now, after, before
        names = [*names[1:], names[0]]
    return dict(zip(names, (before, now, after), strict=True))
