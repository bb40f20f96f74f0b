"""Sweeps of a Jacobi method on narrow rows whose border stays, five points, there and back."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"wide": 100, "high": 800, "steps": 10}
SMALL = {"wide": 70, "high": 6, "steps": 3}


def make(rng, wide, high, steps):
    arrays = {"a": rng.random((high, wide), np.float32), "b": np.zeros((high, wide), np.float32)}
    numbers = np.uint32(wide), np.uint32(high)
    names = [["a", "b"], ["b", "a"]]
    launches = [
        Launch("jacobi", (*numbers, *names[step % 2]), (wide, high), (32, 8))
        for step in range(steps)
    ]
    return Problem(arrays, launches, ("a", "b"))


def answer(problem):
    a, b = (problem.arrays[name].copy() for name in "ab")
    for _ in range(problem.sizes.steps):
        near = a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        b[1:-1, 1:-1] = np.float32(0.2) * near
        a, b = b, a
    return {"a": a, "b": b} if problem.sizes.steps % 2 == 0 else {"a": b, "b": a}
