"""Distances of points from triangles: seven cases of corners, edges and the inside."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1000, "triangles": 50}
SMALL = {"n": 60, "triangles": 10}


def make(rng, n, triangles):
    arrays = {
        "points": rng.random((n, 3), np.float32),
        "corners": rng.random((triangles, 3, 3), np.float32),
        "nearest": np.zeros(n, np.float32),
    }
    launch = Launch("tridist", (np.uint32(n), np.uint32(triangles), *arrays), (n,))
    return Problem(arrays, [launch], ("nearest",), rtol=1e-3, atol=1e-4)


def answer(problem):
    """The least of the distances from the edges, and from the plane where that is inside."""
    points, corners, _ = (x.astype(np.float64) for x in problem.arrays.values())
    least = np.full(len(points), np.inf)
    for triangle in corners:
        for k in range(3):
            a, u = triangle[k], triangle[(k + 1) % 3] - triangle[k]
            t = np.clip((points - a) @ u / (u @ u), 0, 1)
            least = np.minimum(least, np.linalg.norm(points - a - t[:, None] * u, axis=1))
        a, u, v = triangle[0], triangle[1] - triangle[0], triangle[2] - triangle[0]
        s, r = np.linalg.lstsq(np.stack([u, v], 1), (points - a).T, rcond=None)[0]
        apart = np.linalg.norm(points - a - s[:, None] * u - r[:, None] * v, axis=1)
        inside = (s >= 0) & (r >= 0) & (s + r <= 1)
        least = np.where(inside, np.minimum(least, apart), least)
    return {"nearest": least.astype(np.float32)}
