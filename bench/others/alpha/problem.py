"""An image of bytes laid over another one: red, green, blue and opacity in a word."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 500}


def make(rng, n):
    arrays = {name: rng.integers(0, 1 << 32, n, np.uint32) for name in ("over", "under")}
    arrays["out"] = np.zeros(n, np.uint32)
    return Problem(arrays, [Launch("alpha", (np.uint32(n), *arrays), (n,))], ("out",))


def answer(problem):
    over, under = (problem.arrays[name].view(np.uint8).reshape(-1, 4) for name in ("over", "under"))
    opacity = over[:, 3:].astype(np.uint32)
    top = np.append(over[:, :3], np.full_like(over[:, 3:], 255), 1)
    out = top * opacity + under * (255 - opacity) + 128
    out = (out + (out >> 8) >> 8).astype(np.uint8)
    return {"out": out.view(np.uint32).ravel()}
