"""Erosion of a grey image by a 3 x 3 square: the least of nine bytes."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 1024, "height": 512}
SMALL = {"width": 48, "height": 16}


def make(rng, width, height):
    arrays = {
        "x": rng.integers(0, 256, (height, width), np.uint8),
        "y": np.zeros((height, width), np.uint8),
    }
    return Problem(
        arrays,
        [
            Launch(
                "erode", (np.uint32(width), np.uint32(height), *arrays), (width, height), (16, 16)
            )
        ],
        ("y",),
    )


def answer(problem):
    x = np.pad(problem.arrays["x"], 1, mode="edge")
    rows = np.minimum(np.minimum(x[:-2], x[1:-1]), x[2:])
    return {"y": np.minimum(np.minimum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:])}
