"""Winograd's transform F(2 x 2, 3 x 3) of an image: 4 x 4 pixels to sixteen planes."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"wide": 64, "high": 32, "channels": 48}
SMALL = {"wide": 19, "high": 3, "channels": 2}


def make(rng, wide, high, channels):
    arrays = {
        "image": rng.random((channels, 2 * high + 2, 2 * wide + 2), np.float32),
        "planes": np.zeros((16, channels, high, wide), np.float32),
    }
    numbers = np.uint32(wide), np.uint32(high), np.uint32(channels)
    launch = Launch("winograd", (*numbers, *arrays), (wide, high, channels), (32, 4, 1))
    return Problem(arrays, [launch], ("planes",), rtol=1e-4)


def answer(problem):
    image, planes = problem.arrays["image"].astype(np.float64), problem.arrays["planes"]
    tiles = np.lib.stride_tricks.sliding_window_view(image, (4, 4), (1, 2))[:, ::2, ::2]
    b = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
    done = np.einsum("ij,cyxjk,lk->ilcyx", b, tiles, b)
    return {"planes": done.reshape(planes.shape).astype(np.float32)}
