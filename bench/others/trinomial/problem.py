"""American puts by trinomial trees in f64: an option a workgroup, a level in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 151}
SMALL = {"n": 2}
STEPS, GROUP = 60, 121
UP, MIDDLE, DOWN = 0.17, 0.66, 0.165


def make(rng, n):
    arrays = {
        "power": 1.02 ** np.arange(-STEPS, STEPS + 1),
        "strike": rng.uniform(80, 120, n),
        "value": np.zeros(n),
    }
    launch = Launch(
        "trinomial",
        (np.uint32(n), *map(np.float64, (UP, MIDDLE, DOWN)), *arrays),
        (n * GROUP,),
        (GROUP,),
    )
    return Problem(arrays, [launch], ("value",))


def answer(problem):
    power, strike, _ = problem.arrays.values()
    early = np.maximum(strike[:, None] - 100 * power, 0)
    value = early
    for t in range(1, STEPS + 1):
        value = UP * value[:, 2:] + MIDDLE * value[:, 1:-1] + DOWN * value[:, :-2]
        value = np.maximum(value, early[:, t:-t])
    return {"value": value[:, 0]}
