"""Sums of absolute differences of 4 x 4 blocks at 16 x 16 places of a video's frame (Parboil)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 44, "height": 36}
SMALL = {"width": 2, "height": 2}
RANGE = 16


def make(rng, width, height):
    """`width` and `height` count blocks; `near` is larger by the range."""
    arrays = {
        "frame": rng.integers(0, 256, (height * 4, width * 4), np.uint8),
        "near": rng.integers(0, 256, (height * 4 + RANGE, width * 4 + RANGE), np.uint8),
        "sums": np.zeros((height, width, RANGE, RANGE), np.uint16),
    }
    numbers = (np.uint32(width), np.uint32(width * height))
    items = (RANGE, RANGE, width * height)
    launch = Launch("sad", (*numbers, *arrays), items, (16, 4, 1))
    return Problem(arrays, [launch], ("sums",))


def answer(problem):
    frame, near = (problem.arrays[name].astype(np.int32) for name in ("frame", "near"))
    sums = np.zeros_like(problem.arrays["sums"])
    height, width = sums.shape[:2]
    for y in range(RANGE):
        for x in range(RANGE):
            apart = abs(frame - near[y : y + height * 4, x : x + width * 4])
            sums[:, :, y, x] = apart.reshape(height, 4, width, 4).sum((1, 3))
    return {"sums": sums}
