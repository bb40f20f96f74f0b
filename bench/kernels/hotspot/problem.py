"""Steps of the heat equation on a square, a launch a step: five points, branches at the edges."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 512, "steps": 100}
SMALL = {"n": 37, "steps": 2}
STEP, RX, RY, RZ, AMBIENT = CONSTANTS = tuple(map(np.float32, (0.1, 1.0, 1.0, 0.1, 80.0)))


def make(rng, n, steps):
    arrays = {
        "temp": rng.uniform(70, 90, n * n).astype(np.float32),
        "other": np.zeros(n * n, np.float32),
        "power": rng.random(n * n, np.float32),
    }
    pairs = (("temp", "other"), ("other", "temp"))
    launches = [
        Launch("hotspot_step", (np.uint32(n), a, "power", b, *CONSTANTS), (n, n), (256, 1))
        for a, b in pairs * (steps // 2)
    ]
    return Problem(arrays, launches, ("temp",))


def answer(problem):
    n = problem.sizes.n
    t, power = (problem.arrays[name].reshape(n, n) for name in ("temp", "power"))
    for _ in range(problem.sizes.steps):
        around = np.pad(t, 1, mode="edge")
        vertical = around[:-2, 1:-1] + around[2:, 1:-1] - 2 * t
        horizontal = around[1:-1, :-2] + around[1:-1, 2:] - 2 * t
        t = t + STEP * (power + vertical * RY + horizontal * RX + (AMBIENT - t) * RZ)
    return {"temp": t}
