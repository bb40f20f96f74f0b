"""BLAS's saxpy with increments as arguments: x by twos, y by threes."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 1000}
FACTOR, STEPS = np.float32(2.5), (2, 3)


def make(rng, n):
    arrays = {
        name: rng.random(n * step, np.float32) for name, step in zip("xy", STEPS, strict=True)
    }
    steps = (np.uint32(step) for step in STEPS)
    return Problem(
        arrays, [Launch("strided", (np.uint32(n), FACTOR, *steps, *arrays), (n,))], ("y",)
    )


def answer(problem):
    y = problem.arrays["y"].copy()
    y[:: STEPS[1]] += FACTOR * problem.arrays["x"][:: STEPS[0]]
    return {"y": y}
