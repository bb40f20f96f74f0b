"""Rodinia's particle filter: likelihoods of particles from an image's points around each."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "size": 512, "count": 69}
SMALL = {"n": 100, "size": 32, "count": 9}


def make(rng, n, size, count):
    arrays = {
        "image": rng.integers(0, 256, size * size).astype(np.int32),
        "dx": rng.integers(-4, 5, count).astype(np.int32),
        "dy": rng.integers(-4, 5, count).astype(np.int32),
        "px": (rng.random(n) * (size - 10) + 5).astype(np.float32),
        "py": (rng.random(n) * (size - 10) + 5).astype(np.float32),
        "likelihood": np.zeros(n, np.float32),
    }
    launch = Launch("particle", (np.uint32(n), np.int32(size), np.int32(count), *arrays), (n,))
    return Problem(arrays, [launch], ("likelihood",), rtol=1e-4, atol=1e-4)


def answer(problem):
    a, size = problem.arrays, problem.sizes.size
    x, y = ((a[name] + np.float32(0.5)).astype(np.int64)[:, None] for name in ("px", "py"))
    at = np.abs((y + a["dy"]) * size + x + a["dx"])
    at[at >= size * size] = 0
    v = a["image"][at].astype(np.float64)
    sums = ((v - 100) ** 2 - (v - 228) ** 2) / 50
    return {"likelihood": (sums.sum(1) / problem.sizes.count).astype(np.float32)}
