"""Prey and predators by Gillespie's algorithm: one birth, meal or death after another."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1500}
SMALL = {"n": 60}


def make(rng, n):
    arrays = {
        "rates": np.array([1, 0.02, 1], np.float32),
        "prey": rng.integers(5, 60, n, np.uint32),
        "predators": rng.integers(5, 60, n, np.uint32),
        "steps": np.zeros(n, np.uint32),
    }
    launch = Launch("gillespie", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("prey", "predators", "steps"), differing=0.1)


def answer(problem):
    rates, a, b, _ = problem.arrays.values()
    steps = np.zeros(len(a), np.uint32)
    state = np.arange(len(a), dtype=np.uint32) * np.uint32(747796405) + np.uint32(1)
    time, unit = np.zeros(len(a), np.float32), np.float32(2**-24)
    for _ in range(400):
        x, z = rates[0] * a.astype(np.float32), rates[2] * b.astype(np.float32)
        y = rates[1] * a.astype(np.float32) * b.astype(np.float32)
        total = x + y + z
        runs = (time < 1) & (total > 0)
        state = np.where(runs, state * np.uint32(1664525) + np.uint32(1013904223), state)
        first = ((state >> 8) + 1).astype(np.float32) * unit
        state = np.where(runs, state * np.uint32(1664525) + np.uint32(1013904223), state)
        second = (state >> 8).astype(np.float32) * unit * total
        time = np.where(runs, time - np.log(first) / np.where(runs, total, 1), time)
        one, two = runs & (second < x), runs & (second >= x) & (second < x + y)
        three = runs & (second >= x + y)
        a = (a + one - two).astype(np.uint32)
        b = (b + two - three).astype(np.uint32)
        steps += runs
    return {"prey": a, "predators": b, "steps": steps}
