"""A map from a robot's rays: Bresenham's lines through its cells, an atomic count in each."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 3001, "w": 200}
SMALL = {"n": 61, "w": 40}


def make(rng, n, w):
    arrays = {
        "hit_x": rng.integers(0, w, n, np.int32),
        "hit_y": rng.integers(0, w, n, np.int32),
        "free": np.zeros((w, w), np.uint32),
        "full": np.zeros((w, w), np.uint32),
    }
    scalars = np.uint32(n), np.uint32(w), np.int32(w // 2), np.int32(w // 3)
    launch = Launch("lidarmap", (*scalars, *arrays), (n,))
    return Problem(arrays, [launch], ("free", "full"))


def answer(problem):
    hit_x, hit_y, free, full = problem.arrays.values()
    free, full, w = free.copy(), full.copy(), problem.sizes.w
    for x1, y1 in zip(hit_x.tolist(), hit_y.tolist(), strict=True):
        x, y = w // 2, w // 3
        dx, dy = abs(x1 - x), -abs(y1 - y)
        step_x, step_y, error = 1 if x < x1 else -1, 1 if y < y1 else -1, dx + dy
        while (x, y) != (x1, y1):
            free[y, x] += 1
            twice = 2 * error
            if twice >= dy:
                error, x = error + dy, x + step_x
            if twice <= dx:
                error, y = error + dx, y + step_y
        full[y, x] += 1
    return {"free": free, "full": full}
