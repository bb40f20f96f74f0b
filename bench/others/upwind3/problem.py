"""Transport in three dimensions, f64, upwind by the speeds' signs; rock is a mask of bytes."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 61, "height": 45, "depth": 37}
SMALL = {"width": 13, "height": 7, "depth": 5}
STEP = 0.2


def make(rng, width, height, depth):
    whole, inner = (depth + 2, height + 2, width + 2), (depth, height, width)
    arrays = {"c": rng.random(whole)}
    arrays |= {name: rng.uniform(-1, 1, inner) for name in ("u", "v", "w")}
    arrays |= {"rock": (rng.random(inner) < 0.2).astype(np.uint8), "new": np.zeros(inner)}
    numbers = np.uint32(width), np.uint32(height), np.uint32(depth), np.float64(STEP)
    launch = Launch("upwind3", (*numbers, *arrays), (width, height, depth), (8, 4, 4))
    return Problem(arrays, [launch], ("new",), rtol=1e-9, atol=1e-9)


def answer(problem):
    c, u, v, w, rock, _ = problem.arrays.values()
    here = c[1:-1, 1:-1, 1:-1]
    sides = (
        (u, c[1:-1, 1:-1, :-2], c[1:-1, 1:-1, 2:]),
        (v, c[1:-1, :-2, 1:-1], c[1:-1, 2:, 1:-1]),
        (w, c[:-2, 1:-1, 1:-1], c[2:, 1:-1, 1:-1]),
    )
    slope = sum(np.where(s > 0, s * (here - a), s * (b - here)) for s, a, b in sides)
    return {"new": np.where(rock, here, here - STEP * slope)}
