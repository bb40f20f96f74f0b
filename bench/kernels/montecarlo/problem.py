"""Random points, drawn until enough lie in the circle: a rejection loop that diverges."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18, "points": 16}
SMALL = {"n": 700, "points": 5}


def make(rng, n, points):
    arrays = {"seed": rng.integers(1, 1 << 32, n, np.uint32), "draws": np.zeros(n, np.uint32)}
    launch = Launch("montecarlo", (np.uint32(n), np.uint32(points), *arrays), (n,))
    # A fused multiply-add may decide otherwise about a point on the circle.
    return Problem(arrays, [launch], ("draws",), differing=1e-3)


def draw(state):
    """The next state of Marsaglia's generator, and it as a number in [0, 1)."""
    state = state ^ (state << np.uint32(13))
    state = state ^ (state >> np.uint32(17))
    state = state ^ (state << np.uint32(5))
    return state, (state >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)


def answer(problem):
    state = problem.arrays["seed"]
    draws, inside = np.zeros_like(state), np.zeros_like(state)
    going = np.arange(state.size)
    while going.size:
        state, x = draw(state)
        state, y = draw(state)
        draws[going] += 1
        inside[going] += x * x + y * y <= 1
        more = inside[going] < problem.sizes.points
        going, state = going[more], state[more]
    return {"draws": draws}
