"""A filter of nine points, its input with a halo in group memory: overlapping reads."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 20}
SMALL = {"n": 1024}
RADIUS = 4


def make(rng, n):
    """`x` has RADIUS more elements at either end."""
    arrays = {
        "weight": rng.random(2 * RADIUS + 1, np.float32),
        "x": rng.random(n + 2 * RADIUS, np.float32),
        "y": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("stencil", (np.uint32(n), *arrays), (n,))], ("y",))


def answer(problem):
    weight, x = problem.arrays["weight"], problem.arrays["x"]
    return {"y": sum(w * x[k : k + problem.sizes.n] for k, w in enumerate(weight))}
