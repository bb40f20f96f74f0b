"""Rays and triangles, all against all (Moeller, Trumbore): a group copies 64 triangles at once."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2003, "triangles": 99}
SMALL = {"n": 70, "triangles": 37}
TILE = 64


def make(rng, n, triangles):
    corner = rng.uniform(-1, 1, (triangles, 1, 3))
    corner = corner + rng.normal(0, 0.3, (triangles, 3, 3)) + (0, 0, 3)
    corner[:, 1:] -= corner[:, :1]  # the first corner and two edges
    arrays = {
        "triangle": corner.reshape(triangles, 9).astype(np.float32),
        "direction": rng.normal((0, 0, 1), 0.3, (n, 3)).astype(np.float32),
        "distance": np.zeros(n, np.float32),
        "hit": np.zeros(n, np.int32),
    }
    numbers = np.uint32(n), np.uint32(triangles)
    return Problem(
        arrays,
        [Launch("raytri", (*numbers, *arrays), (n,), (TILE,))],
        ("distance", "hit"),
        rtol=1e-3,
        differing=0.005,
    )


def answer(problem):
    triangle, direction, _, _ = problem.arrays.values()
    a, u, v = triangle.astype(np.float64).reshape(-1, 3, 3).transpose(1, 0, 2)
    d = direction.astype(np.float64)[:, None]
    p = np.cross(d, v)
    scale = 1 / (u * p).sum(-1)
    s = -a
    x = (s * p).sum(-1) * scale
    q = np.cross(s, u)
    y = (d * q).sum(-1) * scale
    t = (v * q).sum(-1) * scale
    t = np.where((x >= 0) & (y >= 0) & (x + y <= 1) & (t > 0), t, 1e30)
    nearest = t.argmin(1)
    distance = t.min(1)
    hit = np.where(distance < 1e30, nearest, -1)
    return {"distance": distance.astype(np.float32), "hit": hit.astype(np.int32)}
