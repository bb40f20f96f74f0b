"""An image turned about its centre, with bilinear sampling; 0 outside (CUDA simpleTexture)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 1024}
SMALL = {"size": 32}
COSINE, SINE = np.float32(np.cos(0.5)), np.float32(np.sin(0.5))


def make(rng, size):
    image = rng.random((size, size), np.float32)
    arrays = {"image": image, "out": np.zeros_like(image)}
    launch = Launch("bilinear", (np.uint32(size), COSINE, SINE, *arrays), (size, size), (16, 16))
    return Problem(arrays, [launch], ("out",), atol=2e-3, differing=0.001)


def answer(problem):
    image, size = problem.arrays["image"], problem.sizes.size
    place = np.arange(size, dtype=np.float32) - np.float32(size / 2)
    x, y = np.meshgrid(place, place)
    u = COSINE * x - SINE * y + np.float32(size / 2)
    v = SINE * x + COSINE * y + np.float32(size / 2)
    inside = (u >= 0) & (v >= 0) & (u < size - 1) & (v < size - 1)
    i, j = np.where(inside, u, 0).astype(int), np.where(inside, v, 0).astype(int)
    p, q = u - i, v - j
    top = image[j, i] + p * (image[j, i + 1] - image[j, i])
    bottom = image[j + 1, i] + p * (image[j + 1, i + 1] - image[j + 1, i])
    return {"out": np.where(inside, top + q * (bottom - top), 0).astype(np.float32)}
