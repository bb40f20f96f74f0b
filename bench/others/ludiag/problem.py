"""LU factors of blocks of 16 x 16, a block a group of 16 (Rodinia's lud_diagonal)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"blocks": 1024}
SMALL = {"blocks": 5}
SIDE = 16


def make(rng, blocks):
    m = rng.random((blocks, SIDE, SIDE), np.float32) + SIDE * np.eye(SIDE, dtype=np.float32)
    return Problem(
        {"m": m}, [Launch("ludiag", (np.uint32(blocks), "m"), (blocks * SIDE,), (SIDE,))], ("m",)
    )


def answer(problem):
    m = problem.arrays["m"].astype(np.float64)
    for i in range(SIDE):
        m[:, i + 1 :, i] /= m[:, i : i + 1, i]
        m[:, i + 1 :, i + 1 :] -= m[:, i + 1 :, i : i + 1] * m[:, i : i + 1, i + 1 :]
    return {"m": m.astype(np.float32)}
