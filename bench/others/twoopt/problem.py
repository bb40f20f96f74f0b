"""Travelling salesmen by 2-opt in group memory: each edge seeks its best partner in a triangle."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"tours": 20, "rounds": 20}
SMALL = {"tours": 2, "rounds": 2}


def make(rng, tours, rounds):
    arrays = {
        "town": rng.random((tours, 64, 2)).astype(np.float32),
        "tour": np.zeros((tours, 64), np.uint8),
    }
    arguments = np.uint32(rounds), *arrays, np.uint32(tours)
    launch = Launch("twoopt", arguments, (tours * 64,), (64,))
    return Problem(arrays, [launch], ("tour",), differing=0.1)


def answer(problem):
    town, tour = problem.arrays["town"].astype(np.float64), problem.arrays["tour"].copy()
    i, j = np.indices((64, 64))
    for t, place in enumerate(town):
        far = np.sqrt(((place[:, None] - place) ** 2).sum(2))
        order = np.arange(64)
        for _ in range(problem.sizes.rounds):
            then = np.roll(order, -1)
            edge = far[order, then]
            less = edge[:, None] + edge - far[order[:, None], order] - far[then[:, None], then]
            less[(j < i + 2) | (j > 62)] = 0
            a, b = np.unravel_index(less.argmax(), less.shape)
            if less[a, b] <= 1e-4:
                break
            order[a + 1 : b + 1] = order[a + 1 : b + 1][::-1].copy()
        tour[t] = order
    return {"tour": tour}
