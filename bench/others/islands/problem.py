"""Islands of maps of 8 x 8 bits, each searched depth first with a stack of cells."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 70}


def make(rng, n):
    bits = rng.random((n, 64)) < 0.55
    arrays = {
        "maps": np.packbits(bits, axis=1, bitorder="little").view(np.uint64).ravel(),
        "islands": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("islands", (np.uint32(n), *arrays), (n,), (64,))], ("islands",))


def answer(problem):
    maps = problem.arrays["maps"]
    bits = np.unpackbits(maps.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    padded = np.zeros((len(maps), 10, 10), np.int64)
    padded[:, 1:9, 1:9] = np.where(bits.reshape(-1, 8, 8) == 1, np.arange(1, 65).reshape(8, 8), 0)
    for _ in range(64):
        inner = padded[:, 1:9, 1:9]
        near = [padded[:, :8, 1:9], padded[:, 2:, 1:9], padded[:, 1:9, :8], padded[:, 1:9, 2:]]
        padded[:, 1:9, 1:9] = np.where(inner > 0, np.max([inner, *near], axis=0), 0)
    labels = padded[:, 1:9, 1:9].reshape(-1, 64)
    return {"islands": (labels == np.arange(1, 65)).sum(axis=1).astype(np.uint32)}
