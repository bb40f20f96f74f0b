"""Matches of an automaton in a text, a stretch of bytes a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "length": 256, "states": 64}
SMALL = {"n": 100, "length": 20, "states": 8}


def make(rng, n, length, states):
    arrays = {
        "text": rng.integers(32, 127, n * length, np.uint8),
        "step": rng.integers(0, states, (states, 256)).astype(np.uint16),
        "accepts": (np.arange(states) % 8 == 3).astype(np.uint8),
        "matches": np.zeros(n, np.uint32),
    }
    return Problem(
        arrays, [Launch("dfa", (np.uint32(n), np.uint32(length), *arrays), (n,))], ("matches",)
    )


def answer(problem):
    a, sizes = problem.arrays, problem.sizes
    state, matches = np.zeros(sizes.n, np.uint16), np.zeros(sizes.n, np.uint32)
    for letter in a["text"].reshape(sizes.n, sizes.length).T:
        state = a["step"][state, letter]
        matches += a["accepts"][state]
    return {"matches": matches}
