"""Van der Pol's oscillator by Bogacki and Shampine's method, each in steps of its own."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 16384}
SMALL = {"n": 60}
END, ERROR = np.float32(2), np.float32(1e-4)


def make(rng, n):
    arrays = {
        "mu": rng.uniform(0.5, 8, n).astype(np.float32),
        "x": np.full(n, 2, np.float32),
        "v": np.zeros(n, np.float32),
    }
    launch = Launch("rk23", (np.uint32(n), END, ERROR, *arrays), (n,))
    return Problem(arrays, [launch], ("x", "v"), rtol=2e-2, atol=2e-2, differing=0.05)


def answer(problem):
    mu, x, v = (problem.arrays[name].astype(np.float64) for name in ("mu", "x", "v"))
    t, h = np.zeros_like(x), np.full_like(x, 0.01)

    def f(x, v):
        return v, mu * (1 - x * x) * v - x

    while (t < END).any():
        running = t < END
        h = np.where(running, np.minimum(h, END - t), 0)
        x1, v1 = f(x, v)
        x2, v2 = f(x + 0.5 * h * x1, v + 0.5 * h * v1)
        x3, v3 = f(x + 0.75 * h * x2, v + 0.75 * h * v2)
        nx = x + h * (2 * x1 + 3 * x2 + 4 * x3) / 9
        nv = v + h * (2 * v1 + 3 * v2 + 4 * v3) / 9
        x4, v4 = f(nx, nv)
        ex = h * (-5 / 72 * x1 + x2 / 12 + x3 / 9 - x4 / 8)
        ev = h * (-5 / 72 * v1 + v2 / 12 + v3 / 9 - v4 / 8)
        error = np.maximum(np.abs(ex), np.abs(ev)) + 1e-9
        good = running & (error <= ERROR)
        t, x, v = np.where(good, t + h, t), np.where(good, nx, x), np.where(good, nv, v)
        h = h * np.clip(0.9 * np.sqrt(ERROR / error), 0.3, 3)
    return {"x": x.astype(np.float32), "v": v.astype(np.float32)}
