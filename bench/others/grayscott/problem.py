"""Reaction and diffusion of two substances (Gray and Scott) on a torus, by remainders."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 512, "height": 256, "steps": 4}
SMALL = {"width": 36, "height": 7, "steps": 2}
FEED, KILL = np.float32(0.035), np.float32(0.06)


def make(rng, width, height, steps):
    arrays = {name: rng.random((height, width), np.float32) for name in ("u", "v")}
    arrays |= {name: np.zeros((height, width), np.float32) for name in ("nu", "nv")}
    numbers = np.uint32(width), np.uint32(height), FEED, KILL
    launches = [
        Launch("grayscott", (*numbers, *names), (width, height), (16, 16))
        for names in (("u", "v", "nu", "nv"), ("nu", "nv", "u", "v")) * (steps // 2)
    ]
    return Problem(arrays, launches, ("u", "v"), rtol=1e-4)


def answer(problem):
    u, v = (problem.arrays[name].astype(np.float64) for name in ("u", "v"))
    feed, kill = float(FEED), float(KILL)

    def spread(field):
        return sum(np.roll(field, by, axis) for by in (1, -1) for axis in (0, 1)) - 4 * field

    for _ in range(problem.sizes.steps):
        uvv = u * v * v
        u, v = (
            u + 0.16 * spread(u) - uvv + feed * (1 - u),
            v + 0.08 * spread(v) + uvv - (feed + kill) * v,
        )
    return {"u": u.astype(np.float32), "v": v.astype(np.float32)}
