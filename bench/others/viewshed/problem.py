"""What an eye sees of a landscape: each place walks along its line of sight until it is hidden."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"w": 200, "h": 120}
SMALL = {"w": 40, "h": 21}


def make(rng, w, h):
    y, x = np.indices((h, w))
    height = np.zeros((h, w))
    for k in range(6):
        ways = rng.uniform(0.02, 0.2, 2)
        height += rng.uniform(1, 4) * np.sin(x * ways[0] + y * ways[1] + k)
    arrays = {"height": height.astype(np.float32), "seen": np.zeros((h, w), np.uint8)}
    ex, ey = w // 3, h // 2
    scalars = np.uint32(w), np.uint32(h), np.int32(ex), np.int32(ey), np.float32(height[ey, ex] + 3)
    launch = Launch("viewshed", (*scalars, *arrays), (w, h), (64, 4))
    return Problem(arrays, [launch], ("seen",), differing=0.01)


def answer(problem):
    height, seen = problem.arrays["height"].astype(np.float64), problem.arrays["seen"].copy()
    h, w = height.shape
    ex, ey, eye = (float(x) for x in problem.launches[0].arguments[2:5])
    for y, x in np.ndindex(h, w):
        dx, dy = x - ex, y - ey
        steps = max(abs(dx), abs(dy))
        k = np.arange(1, steps)
        px = np.rint(ex + np.rint((dx * (k / max(steps, 1))).astype(np.float32))).astype(int)
        py = np.rint(ey + np.rint((dy * (k / max(steps, 1))).astype(np.float32))).astype(int)
        last = (height[y, x] - eye) / steps if steps else 0
        seen[y, x] = not ((height[py, px] - eye) / k > last).any()
    return {"seen": seen}
