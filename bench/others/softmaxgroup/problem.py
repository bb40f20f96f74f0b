"""Softmax of rows, a row a workgroup: strides of 128 work-items, trees in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"rows": 512, "columns": 1000}
SMALL = {"rows": 4, "columns": 300}
GROUP = 128


def make(rng, rows, columns):
    x = rng.uniform(-4, 4, (rows, columns)).astype(np.float32)
    arrays = {"x": x, "y": np.zeros_like(x)}
    numbers = np.uint32(rows), np.uint32(columns)
    launch = Launch("softmaxgroup", (*numbers, *arrays), (rows * GROUP,), (GROUP,))
    return Problem(arrays, [launch], ("y",), rtol=1e-4)


def answer(problem):
    x = problem.arrays["x"]
    powers = np.exp2(x - x.max(1, keepdims=True))
    return {"y": powers / powers.sum(1, keepdims=True)}
