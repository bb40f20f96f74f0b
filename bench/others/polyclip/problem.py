"""The area of triangles in a square, clipped at one side after the other (Sutherland-Hodgman)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 90}


def make(rng, n):
    arrays = {
        "corner": rng.uniform(-1.5, 1.5, (6, n)).astype(np.float32),
        "area": np.zeros(n, np.float32),
    }
    launch = Launch("polyclip", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("area",), rtol=1e-3, atol=1e-4)


def _area(corner):
    points = corner.reshape(3, 2).astype(np.float64).tolist()
    for side in range(4):
        axis, sign = side >> 1, 1 - 2 * (side & 1)
        kept = []
        for k, here in enumerate(points):
            there = points[(k + 1) % len(points)]
            d, e = 1 - sign * here[axis], 1 - sign * there[axis]
            if d >= 0:
                kept.append(here)
            if (d >= 0) != (e >= 0):
                t = d / (d - e)
                kept.append([h + t * (o - h) for h, o in zip(here, there, strict=True)])
        points = kept
    turns = zip(points, points[1:] + points[:1], strict=True)
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in turns)) / 2


def answer(problem):
    areas = [_area(c) for c in problem.arrays["corner"].T]
    return {"area": np.array(areas, np.float32)}
