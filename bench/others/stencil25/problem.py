"""A step of the wave equation of eighth order in space: 25 points in three dimensions."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 64}
SMALL = {"n": 8}
RADIUS = 4
WEIGHTS = np.array([-8.541666, 1.6, -0.2, 0.02539683, -0.001785714], np.float32)


def make(rng, n):
    """`now` and `before` have a border of four numbers."""
    shape = (n + 2 * RADIUS,) * 3
    arrays = {
        "weight": WEIGHTS,
        "speed": rng.random((n, n, n), np.float32) * np.float32(0.1),
        "now": rng.random(shape, np.float32),
        "before": rng.random(shape, np.float32),
    }
    launch = Launch("wave", (np.uint32(n), *arrays), (n, n, n), (16, 4, 2))
    return Problem(arrays, [launch], ("before",))


def answer(problem):
    now, n = problem.arrays["now"].astype(np.float64), problem.sizes.n
    inside = (slice(RADIUS, RADIUS + n),) * 3
    sum_ = 3 * WEIGHTS[0] * now[inside]
    for r in range(1, RADIUS + 1):
        for axis in range(3):
            sum_ = sum_ + WEIGHTS[r] * (
                np.roll(now, r, axis)[inside] + np.roll(now, -r, axis)[inside]
            )
    result = problem.arrays["before"].copy()
    result[inside] = 2 * now[inside] - result[inside] + problem.arrays["speed"] * sum_
    return {"before": result}
