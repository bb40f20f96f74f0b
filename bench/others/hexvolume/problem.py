"""Volumes of hexahedra of a mesh (LULESH), f64: eight corners by a list, three triple products."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"side": 24}
SMALL = {"side": 4}
CORNERS = ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0))


def make(rng, side):
    places = np.indices((side + 1,) * 3, np.float64)
    places += rng.uniform(-0.2, 0.2, places.shape)
    number = np.arange((side + 1) ** 3).reshape((side + 1,) * 3)
    corner = [number[a : a + side, b : b + side, c : c + side] for a, b, c in CORNERS]
    z, y, x = places.reshape(3, -1)
    arrays = {
        "corner": np.stack(corner, -1).astype(np.uint32),
        "x": x,
        "y": y,
        "z": z,
        "volume": np.zeros(side**3),
    }
    launch = Launch("hexvolume", (np.uint32(side**3), *arrays), (side**3,))
    return Problem(arrays, [launch], ("volume",))


def answer(problem):
    corner, x, y, z, _ = problem.arrays.values()
    p = np.stack((x, y, z), -1)[corner.reshape(-1, 8).T]

    def triple(a, b, c):
        return (a * np.cross(b, c)).sum(-1)

    total = triple(p[3] - p[1] + p[7] - p[2], p[6] - p[3], p[2] - p[0])
    total += triple(p[4] - p[3] + p[5] - p[7], p[6] - p[4], p[7] - p[0])
    total += triple(p[1] - p[4] + p[2] - p[5], p[6] - p[1], p[5] - p[0])
    return {"volume": total / 12}
