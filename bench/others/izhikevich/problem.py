"""Izhikevich's neurons: two half steps of the voltage, and a reset at each spike."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4000, "steps": 100}
SMALL = {"n": 50, "steps": 60}


def make(rng, n, steps):
    arrays = {
        "input": rng.uniform(0, 14, n).astype(np.float32),
        "kind": rng.uniform(2, 8, n).astype(np.float32),
        "spikes": np.zeros(n, np.uint32),
    }
    launch = Launch("izhikevich", (np.uint32(n), np.uint32(steps), *arrays), (n,))
    return Problem(arrays, [launch], ("spikes",), differing=0.05)


def answer(problem):
    current, d, _ = problem.arrays.values()
    current, d = current.astype(np.float64), d.astype(np.float64)
    v, u = np.full(len(d), -65.0), np.full(len(d), -13.0)
    count = np.zeros(len(d), np.uint32)
    for t in range(problem.sizes.steps):
        drive = current if t % 40 < 30 else 0
        for _ in range(2):
            v = v + 0.5 * ((0.04 * v + 5) * v + 140 - u + drive)
        u = u + 0.02 * (0.2 * v - u)
        fired = v >= 30
        v, u, count = np.where(fired, -65, v), np.where(fired, u + d, u), count + fired
    return {"spikes": count.astype(np.uint32)}
