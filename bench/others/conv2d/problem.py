"""A convolutional layer of a neural network: 3 x 3 weights, channels in and out, bias, ReLU."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 32, "inputs": 16, "outputs": 32}
SMALL = {"n": 8, "inputs": 3, "outputs": 4}


def make(rng, n, inputs, outputs):
    """`x` has a border of one number."""
    arrays = {
        "x": rng.standard_normal((inputs, n + 2, n + 2)).astype(np.float32),
        "weight": rng.standard_normal((outputs, inputs, 3, 3)).astype(np.float32),
        "bias": rng.standard_normal(outputs).astype(np.float32),
        "y": np.zeros((outputs, n, n), np.float32),
    }
    numbers = (np.uint32(n), np.uint32(inputs), np.uint32(outputs))
    launch = Launch("conv2d", (*numbers, *arrays), (n, n, outputs), (8, 8, 4))
    return Problem(arrays, [launch], ("y",), rtol=1e-3, atol=1e-3)


def answer(problem):
    x, weight = (problem.arrays[name].astype(np.float64) for name in ("x", "weight"))
    n = problem.sizes.n
    places = [(i, j) for i in range(3) for j in range(3)]
    y = sum(
        np.einsum("oc,crs->ors", weight[:, :, i, j], x[:, i : i + n, j : j + n]) for i, j in places
    )
    y += problem.arrays["bias"][:, None, None]
    return {"y": np.maximum(y, 0).astype(np.float32)}
