"""A 1 x 1 convolution: twelve output channels of a pixel a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"pixels": 1 << 14, "inputs": 64}
SMALL = {"pixels": 100, "inputs": 5}
OUTPUTS = 12


def make(rng, pixels, inputs):
    arrays = {
        "image": rng.random((inputs, pixels), np.float32),
        "weights": rng.uniform(-1, 1, (inputs, OUTPUTS)).astype(np.float32),
        "result": np.zeros((OUTPUTS, pixels), np.float32),
    }
    launch = Launch("pointwise", (np.uint32(pixels), np.uint32(inputs), *arrays), (pixels,))
    return Problem(arrays, [launch], ("result",), rtol=1e-3, atol=1e-4)


def answer(problem):
    image, weights = (problem.arrays[name].astype(np.float64) for name in ("image", "weights"))
    return {"result": (weights.T @ image).astype(np.float32)}
