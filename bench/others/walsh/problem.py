"""The fast Walsh-Hadamard transform of blocks of 512 numbers in group memory (CUDA samples)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"blocks": 256}
SMALL = {"blocks": 1}
BLOCK = 512


def make(rng, blocks):
    arrays = {"x": rng.random((blocks, BLOCK), np.float32)}
    launch = Launch("walsh", (np.uint32(blocks), "x"), (blocks * BLOCK // 2,), (BLOCK // 2,))
    return Problem(arrays, [launch], ("x",), atol=1e-3)


def answer(problem):
    x = problem.arrays["x"].astype(np.float64)
    step = 1
    while step < BLOCK:
        pairs = x.reshape(len(x), -1, 2, step)
        x = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], 2)
        step *= 2
    return {"x": x.reshape(len(x), BLOCK).astype(np.float32)}
