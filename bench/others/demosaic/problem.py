"""A Bayer pattern of bytes to pixels of three bytes: means of neighbours, four cases."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 640, "height": 360}
SMALL = {"width": 50, "height": 9}


def make(rng, width, height):
    arrays = {
        "raw": rng.integers(0, 256, (height, width), np.uint8),
        "colour": np.zeros((height, width, 3), np.uint8),
    }
    numbers = np.uint32(width), np.uint32(height)
    launch = Launch("demosaic", (*numbers, *arrays), (width, height), (64, 4))
    return Problem(arrays, [launch], ("colour",))


def answer(problem):
    raw = problem.arrays["raw"].astype(np.uint32)
    padded = np.pad(raw, 1)
    height, width = raw.shape

    def at(dy, dx):
        return padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]

    beside, along = at(0, -1) + at(0, 1), at(-1, 0) + at(1, 0)
    corners = at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1)
    cross = (beside + along) // 4
    y, x = np.indices(raw.shape) & 1
    case = 2 * y + x
    got = np.zeros((height, width, 3), np.uint8)
    choices = (
        (raw, beside // 2, along // 2, corners // 4),
        (cross, raw, raw, cross),
        (corners // 4, along // 2, beside // 2, raw),
    )
    inside = np.s_[1:-1, 1:-1]
    for k, choice in enumerate(choices):
        got[..., k][inside] = np.choose(case, choice)[inside]
    return {"colour": got}
