"""Lorenz's equations by Runge and Kutta's method of fourth order in f64, a start a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 8192, "steps": 100}
SMALL = {"n": 100, "steps": 8}
H = np.float64(0.01)


def make(rng, n, steps):
    arrays = {
        "rho": rng.uniform(1, 28, n),
        "x": rng.uniform(-5, 5, n),
        "y": rng.uniform(-5, 5, n),
        "z": rng.uniform(10, 30, n),
    }
    launch = Launch("rk4", (np.uint32(n), np.uint32(steps), H, *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("x", "y", "z"), rtol=1e-6, atol=1e-6)


def answer(problem):
    rho = problem.arrays["rho"]

    def slope(v):
        x, y, z = v
        return np.stack([10.0 * (y - x), x * (rho - z) - y, x * y - 8 / 3 * z])

    v = np.stack([problem.arrays[name] for name in "xyz"])
    for _ in range(problem.sizes.steps):
        k1 = slope(v)
        k2 = slope(v + H / 2 * k1)
        k3 = slope(v + H / 2 * k2)
        k4 = slope(v + H * k3)
        v = v + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return dict(zip("xyz", v, strict=True))
