"""An array of three dimensions with the first one last: neighbours are written far apart."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"nx": 64, "ny": 40, "nz": 30}
SMALL = {"nx": 20, "ny": 6, "nz": 5}


def make(rng, nx, ny, nz):
    a = rng.random((nz, ny, nx), np.float32)
    arrays = {"a": a, "b": np.zeros((nx, nz, ny), np.float32)}
    sizes = np.uint32(nx), np.uint32(ny), np.uint32(nz)
    launch = Launch("permute3", (*sizes, *arrays), (nx, ny, nz), (32, 4, 1))
    return Problem(arrays, [launch], ("b",))


def answer(problem):
    return {"b": problem.arrays["a"].transpose(2, 0, 1).copy()}
