"""Thinning after Zhang and Suen: pixels of a border go if that breaks no line."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 500, "height": 200, "steps": 2}
SMALL = {"width": 40, "height": 9, "steps": 2}


def make(rng, width, height, steps):
    x = np.zeros((height + 2, width + 2), np.uint8)
    x[1:-1, 1:-1] = np.repeat(rng.random((height, -(-width // 8))) < 0.6, 8, 1)[:, :width]
    arrays = {"x": x, "y": np.zeros_like(x)}
    sizes = np.uint32(width), np.uint32(height)
    launches = [
        Launch("thinning", (*sizes, *("xy", "yx")[k % 2]), (width, height), (64, 4))
        for k in range(steps)
    ]
    return Problem(arrays, launches, ("x", "y"))


def answer(problem):
    x, y = (array.copy() for array in problem.arrays.values())
    for _ in problem.launches:
        height, width = x.shape[0] - 2, x.shape[1] - 2
        turn = [(0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (0, 0)]
        near = np.stack([x[r : r + height, c : c + width] for r, c in turn]).astype(int)
        turns = (near < np.roll(near, -1, 0)).sum(0)
        gone = (near.sum(0) >= 2) & (near.sum(0) <= 6) & (turns == 1)
        gone &= (near[0] & near[2] & near[4]) == 0
        gone &= (near[2] & near[4] & near[6]) == 0
        y[1:-1, 1:-1] = np.where(gone, 0, x[1:-1, 1:-1])
        x, y = y, x
    return {"x": x, "y": y} if len(problem.launches) % 2 == 0 else {"x": y, "y": x}
