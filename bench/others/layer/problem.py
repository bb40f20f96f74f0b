"""A convolution layer, 3 x 3 over channels, an output a work-item of a grid of three dimensions."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 56, "inputs": 16, "outputs": 24}
SMALL = {"size": 10, "inputs": 2, "outputs": 3}


def make(rng, size, inputs, outputs):
    """Images of the channels have a border of one."""
    arrays = {
        "image": rng.random((inputs, size + 2, size + 2), np.float32),
        "weights": rng.uniform(-1, 1, (outputs, inputs, 3, 3)).astype(np.float32),
        "bias": rng.uniform(-1, 1, outputs).astype(np.float32),
        "result": np.zeros((outputs, size, size), np.float32),
    }
    sizes = np.uint32(size), np.uint32(inputs), np.uint32(outputs)
    launch = Launch("layer", (*sizes, *arrays), (size, size, outputs), (56, 4, 1))
    return Problem(arrays, [launch], ("result",), rtol=1e-3, atol=1e-4)


def answer(problem):
    arrays, size = problem.arrays, problem.sizes.size
    image, weights = (arrays[name].astype(np.float64) for name in ("image", "weights"))
    sums = arrays["bias"][:, None, None].astype(np.float64)
    for y in range(3):
        for x in range(3):
            part = image[:, y : y + size, x : x + size]
            sums = sums + np.tensordot(weights[:, :, y, x], part, 1)
    return {"result": np.maximum(sums, 0).astype(np.float32)}
