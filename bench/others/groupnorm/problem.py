"""Group normalisation: mean and deviation of a group of channels by trees, a group a workgroup."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"images": 8, "groups": 32, "channels": 4, "pixels": 28 * 28}
SMALL = {"images": 2, "groups": 3, "channels": 2, "pixels": 70}
GROUP = 128
EPSILON = np.float32(1e-5)


def make(rng, images, groups, channels, pixels):
    x = rng.normal(0.5, 2, (images, groups, channels, pixels)).astype(np.float32)
    arrays = {
        "x": x,
        "scale": rng.random((groups, channels), np.float32),
        "shift": rng.standard_normal((groups, channels), np.float32),
        "y": np.zeros_like(x),
    }
    numbers = (*map(np.uint32, (images, groups, channels, pixels)), EPSILON)
    launch = Launch("groupnorm", (*numbers, *arrays), (images * groups * GROUP,), (GROUP,))
    return Problem(arrays, [launch], ("y",), rtol=1e-3, atol=1e-4)


def answer(problem):
    a = problem.arrays
    x = a["x"].astype(np.float64)
    x = (x - x.mean((2, 3), keepdims=True)) / np.sqrt(x.var((2, 3), keepdims=True) + EPSILON)
    return {"y": (x * a["scale"][..., None] + a["shift"][..., None]).astype(np.float32)}
