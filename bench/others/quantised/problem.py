"""A quantised layer: products of signed bytes summed in 32 bits, then scaled."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"inputs": 256, "outputs": 4096}
SMALL = {"inputs": 20, "outputs": 70}
SCALE = np.float32(0.0005)


def make(rng, inputs, outputs):
    arrays = {
        "x": rng.integers(-128, 128, inputs).astype(np.int8),
        "weights": rng.integers(-128, 128, (inputs, outputs)).astype(np.int8),
        "bias": rng.integers(-1000, 1000, outputs).astype(np.int32),
        "y": np.zeros(outputs, np.int8),
    }
    sizes = np.uint32(inputs), np.uint32(outputs)
    launch = Launch("quantised", (*sizes, SCALE, *arrays), (outputs,))
    return Problem(arrays, [launch], ("y",), differing=0.01)


def answer(problem):
    arrays = problem.arrays
    sums = arrays["bias"] + arrays["x"].astype(np.int32) @ arrays["weights"].astype(np.int32)
    return {"y": np.clip(np.rint(sums.astype(np.float32) * SCALE), -128, 127).astype(np.int8)}
