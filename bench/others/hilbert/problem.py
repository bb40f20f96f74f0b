"""Places along Hilbert's curve of points in a square of 65,536 x 65,536."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 200}


def make(rng, n):
    arrays = {name: rng.integers(0, 1 << 16, n, np.uint32) for name in "xy"}
    arrays["place"] = np.zeros(n, np.uint32)
    return Problem(arrays, [Launch("hilbert", (np.uint32(n), *arrays), (n,))], ("place",))


def answer(problem):
    x, y = (problem.arrays[name].astype(np.int64) for name in "xy")
    place = np.zeros_like(x)
    for bit in range(15, -1, -1):
        right, up = x >> bit & 1, y >> bit & 1
        place += (3 * right ^ up) << 2 * bit
        turned = (up == 0) & (right == 1)
        x, y = np.where(turned, 65535 - x, x), np.where(turned, 65535 - y, y)
        x, y = np.where(up == 0, y, x), np.where(up == 0, x, y)
    return {"place": place.astype(np.uint32)}
