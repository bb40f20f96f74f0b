"""Monte Carlo of Heston's model, a path a work-item: xorshift, Box-Muller, exponentials."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "steps": 32}
SMALL = {"n": 200, "steps": 3}


def make(rng, n, steps):
    arrays = {
        "seed": rng.integers(1, 1 << 31, n).astype(np.uint32),
        "payoff": np.zeros(n, np.float32),
    }
    launch = Launch("heston", (np.uint32(n), np.uint32(steps), *arrays), (n,))
    return Problem(arrays, [launch], ("payoff",), rtol=1e-3, atol=1e-2)


def answer(problem):
    state, n = problem.arrays["seed"].copy(), problem.sizes.n

    def uniform():
        nonlocal state
        for by, left in ((13, True), (17, False), (5, True)):
            moved = state << np.uint32(by) if left else state >> np.uint32(by)
            state = state ^ moved
        return ((state >> np.uint32(8)).astype(np.float64) + 0.5) * 2.0**-24

    logarithm, variance = np.zeros(n), np.full(n, 0.04)
    for _ in range(problem.sizes.steps):
        radius, angle = np.sqrt(-2 * np.log(uniform())), 6.2831853 * uniform()
        a, b = radius * np.cos(angle), radius * np.sin(angle)
        positive = np.maximum(variance, 0)
        noise = np.sqrt(positive * 0.03125)
        logarithm += (0.02 - 0.5 * positive) * 0.03125 + noise * a
        variance += 1.5 * (0.04 - positive) * 0.03125 + 0.3 * noise * (0.8 * b - 0.6 * a)
    return {"payoff": np.maximum(100 * np.exp(logarithm) - 95, 0).astype(np.float32)}
