"""Walks at random on a map until an obstacle ends each."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 3000, "width": 128}
SMALL = {"n": 100, "width": 20}


def make(rng, n, width):
    blocked = (rng.random((width, width)) < 0.02).astype(np.uint8)
    blocked[[0, -1]] = blocked[:, [0, -1]] = 1
    arrays = {"map": blocked, "steps": np.zeros(n, np.uint32)}
    launch = Launch("walk2d", (np.uint32(n), np.uint32(width), *arrays), (n,))
    return Problem(arrays, [launch], ("steps",))


def answer(problem):
    blocked = problem.arrays["map"]
    width = len(blocked)
    steps = problem.arrays["steps"].copy()
    state = np.arange(len(steps), dtype=np.uint32) * np.uint32(2654435761) + np.uint32(12345)
    place = np.full(len(steps), width // 2 * width + width // 2)
    live = np.ones(len(steps), bool)
    for _ in range(500):
        state = state * np.uint32(1664525) + np.uint32(1013904223)
        place = place + np.where(live, np.array([1, -1, width, -width])[state >> 30], 0)
        steps += live
        live &= blocked.ravel()[place] == 0
    return {"steps": steps}
