"""im2col (Caffe), 3 x 3 with a border of zeros: a pixel a work-item, by flat numbers."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"channels": 40, "height": 56, "width": 56}
SMALL = {"channels": 2, "height": 9, "width": 13}


def make(rng, channels, height, width):
    arrays = {
        "image": rng.random((channels, height, width), np.float32),
        "columns": np.zeros((channels, 9, height, width), np.float32),
    }
    n = channels * height * width
    sizes = np.uint32(n), np.uint32(height), np.uint32(width)
    return Problem(arrays, [Launch("im2col", (*sizes, *arrays), (n,))], ("columns",))


def answer(problem):
    image = problem.arrays["image"]
    _, height, width = image.shape
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    shifts = [padded[:, i : i + height, j : j + width] for i in range(3) for j in range(3)]
    return {"columns": np.stack(shifts, 1)}
