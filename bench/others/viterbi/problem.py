"""The likeliest end of a hidden Markov chain of eight states: two private rows of scores."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12, "steps": 48}
SMALL = {"n": 70, "steps": 6}


def make(rng, n, steps):
    arrays = {
        "change": rng.integers(1, 100, (8, 8), np.uint32),
        "shown": rng.integers(1, 100, (4, 8), np.uint32),
        "seen": rng.integers(0, 4, (steps, n), np.uint8),
        "cost": np.zeros(n, np.uint32),
        "end": np.full(n, 9, np.uint32),
    }
    launch = Launch("viterbi", (np.uint32(n), np.uint32(steps), *arrays), (n,))
    return Problem(arrays, [launch], ("cost", "end"))


def answer(problem):
    a = problem.arrays
    score = np.zeros((8, problem.sizes.n), np.uint32)
    for symbols in a["seen"]:
        best = (score[:, None, :] + a["change"][:, :, None]).min(axis=0)
        score = best + a["shown"][symbols].T
    return {"cost": score.min(axis=0), "end": score.argmin(axis=0).astype(np.uint32)}
