"""Local binary patterns of a grey image: which of eight neighbours are as bright, a bit each."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"w": 1024, "h": 768}
SMALL = {"w": 50, "h": 20}
AROUND = ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0))


def make(rng, w, h):
    arrays = {
        "x": rng.integers(0, 256, (h + 2, w + 2), np.uint8),
        "y": np.zeros((h, w), np.uint8),
    }
    launch = Launch(
        "lbp", (np.uint32(w), np.uint32(h), *arrays), (-(-w // 16) * 16, -(-h // 16) * 16), (16, 16)
    )
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    x = problem.arrays["x"]
    h, w = problem.arrays["y"].shape
    code = np.zeros((h, w), np.uint8)
    for bit, (row, column) in enumerate(AROUND):
        code |= (x[row : row + h, column : column + w] >= x[1:-1, 1:-1]).astype(np.uint8) << bit
    return {"y": code}
