"""Differences of the eighth order in three dimensions, of products (ExpCNS's hypterm)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"nx": 48, "ny": 32, "nz": 12}
SMALL = {"nx": 10, "ny": 6, "nz": 3}
WEIGHTS = -0.8, 0.2, -0.0380952, 0.0035714


def make(rng, nx, ny, nz):
    q, u = rng.random((2, nz + 8, ny + 8, nx + 8), np.float32)
    arrays = {"q": q, "u": u, "flux": np.zeros((nz, ny, nx), np.float32)}
    sizes = np.uint32(nx), np.uint32(ny), np.uint32(nz)
    launch = Launch("hypterm", (*sizes, *arrays), (nx, ny, nz), (16, 8, 1))
    return Problem(arrays, [launch], ("flux",), rtol=1e-3, atol=1e-4)


def answer(problem):
    q, u, flux = problem.arrays.values()
    product = q.astype(np.float64) * u
    total = np.zeros(flux.shape)
    for axis in range(3):
        for k, weight in enumerate(WEIGHTS, 1):
            both = np.roll(product, -k, axis) - np.roll(product, k, axis)
            total += weight * both[4:-4, 4:-4, 4:-4]
    return {"flux": total.astype(np.float32)}
