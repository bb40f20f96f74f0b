"""Numbers by a 64-bit congruential generator with permuted output (PCG), 16 a work-item, summed."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16, "draws": 16}
SMALL = {"n": 300, "draws": 5}
FACTOR, STEP = 6364136223846793005, 1442695040888963407


def make(rng, n, draws):
    arrays = {
        "state": rng.integers(0, 1 << 63, n).astype(np.uint64),
        "sum": np.zeros(n, np.uint32),
    }
    return Problem(
        arrays, [Launch("pcg", (np.uint32(n), np.uint32(draws), *arrays), (n,))], ("sum",)
    )


def answer(problem):
    state, total = problem.arrays["state"].copy(), np.zeros(problem.sizes.n, np.uint32)
    for _ in range(problem.sizes.draws):
        mixed = ((state >> np.uint64(18) ^ state) >> np.uint64(27)).astype(np.uint32)
        turn = (state >> np.uint64(59)).astype(np.uint32)
        total += mixed >> turn | mixed << (-turn & np.uint32(31))
        state = state * np.uint64(FACTOR) + np.uint64(STEP)
    return {"sum": total}
