"""Lorenz's model of ten places, from many states, until the first place exceeds a bound."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "steps": 200}
SMALL = {"n": 40, "steps": 12}
PLACES = 10
FORCE, STEP, BOUND = np.float32(8), np.float32(0.005), np.float32(9)


def make(rng, n, steps):
    arrays = {
        "start": (rng.standard_normal((PLACES, n)) * 3 + 2).astype(np.float32),
        "end": np.zeros((PLACES, n), np.float32),
        "when": np.zeros(n, np.uint32),
    }
    numbers = np.uint32(n), np.uint32(steps), FORCE, STEP, BOUND
    launch = Launch("lorenz96", (*numbers, *arrays), (n,))
    return Problem(arrays, [launch], ("end", "when"), rtol=1e-2, atol=1e-2, differing=1e-2)


def answer(problem):
    x = problem.arrays["start"].astype(np.float64)
    when, runs = np.zeros(x.shape[1], np.uint32), np.ones(x.shape[1], bool)
    for _ in range(problem.sizes.steps):
        change = (np.roll(x, -1, 0) - np.roll(x, 2, 0)) * np.roll(x, 1, 0) - x + FORCE
        x = np.where(runs, x + STEP * change, x)
        when += runs
        runs &= x[0] <= BOUND
    return {"end": x.astype(np.float32), "when": when}
