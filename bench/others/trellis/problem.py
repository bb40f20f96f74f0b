"""The forward pass of a Viterbi decoder with 64 states, a frame a workgroup, a barrier a step."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"frames": 96, "steps": 200}
SMALL = {"frames": 2, "steps": 10}
STATES = 64


def make(rng, frames, steps):
    arrays = {
        "soft": rng.integers(-127, 128, (frames, steps, 2), np.int32),
        "choice": np.zeros((frames, steps, STATES), np.uint8),
        "cost": np.zeros((frames, STATES), np.int32),
    }
    numbers = np.uint32(frames), np.uint32(steps)
    launch = Launch("trellis", (*numbers, *arrays), (frames * STATES,), (STATES,))
    return Problem(arrays, [launch], ("choice", "cost"))


def answer(problem):
    soft = problem.arrays["soft"]
    got = {name: problem.arrays[name].copy() for name in ("choice", "cost")}
    state = np.arange(STATES)
    first, second = (
        np.array([1 if bin(s & bits).count("1") & 1 else -1 for s in state], np.int32)
        for bits in (109, 79)
    )
    cost = np.zeros_like(got["cost"])
    for t in range(soft.shape[1]):
        metric = soft[:, t, :1] * first + soft[:, t, 1:] * second
        low, high = cost[:, state // 2] + metric, cost[:, state // 2 + STATES // 2] - metric
        got["choice"][:, t] = high < low
        cost = np.minimum(low, high)
    got["cost"] = cost
    return got
