"""Pixels of a camera, YUYV, to red, green and blue: bytes in fours to bytes in sixes."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"pairs": 1 << 17}
SMALL = {"pairs": 300}


def make(rng, pairs):
    arrays = {
        "packed": rng.integers(0, 256, (pairs, 4), np.uint8),
        "colour": np.zeros((pairs, 2, 3), np.uint8),
    }
    return Problem(arrays, [Launch("yuyv", (np.uint32(pairs), *arrays), (pairs,))], ("colour",))


def answer(problem):
    packed = problem.arrays["packed"].astype(np.int32)
    y, u, v = 298 * (packed[:, ::2] - 16), packed[:, 1:2] - 128, packed[:, 3:] - 128
    colour = np.stack((y + 409 * v, y - 100 * u - 208 * v, y + 516 * u), -1) + 128 >> 8
    return {"colour": np.clip(colour, 0, 255).astype(np.uint8)}
