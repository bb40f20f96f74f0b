"""Speckle-reducing anisotropic diffusion of an image: coefficients, then the update (Rodinia)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 512, "steps": 2}
SMALL = {"n": 24, "steps": 2}
Q0, LAMBDA = np.float32(0.05), np.float32(0.5)


def make(rng, n, steps):
    arrays = {"image": np.exp(rng.random((n, n), np.float32))}
    for name in ("north", "south", "west", "east", "c"):
        arrays[name] = np.zeros((n, n), np.float32)
    size = (n, n), (32, 8)
    launches = [
        Launch("coefficient", (np.uint32(n), Q0, *arrays), *size),
        Launch("update", (np.uint32(n), LAMBDA, *arrays), *size),
    ]
    return Problem(arrays, launches * steps, ("image", "c"), rtol=1e-4, atol=1e-4)


def answer(problem):
    image = problem.arrays["image"].astype(np.float64)
    before = np.maximum(np.arange(len(image)) - 1, 0)
    after = np.minimum(np.arange(len(image)) + 1, len(image) - 1)
    c = problem.arrays["c"]
    for _ in range(problem.sizes.steps):
        north, south = image[before] - image, image[after] - image
        west, east = image[:, before] - image, image[:, after] - image
        g2 = (north**2 + south**2 + west**2 + east**2) / image**2
        sum_ = (north + south + west + east) / image
        q = (0.5 * g2 - 0.0625 * sum_**2) / (1 + 0.25 * sum_) ** 2
        c = np.clip(1 / (1 + (q - Q0) / (Q0 * (1 + Q0))), 0, 1)
        image = image + 0.25 * LAMBDA * (
            c * north + c[after] * south + c * west + c[:, after] * east
        )
    return {"image": image.astype(np.float32), "c": c.astype(np.float32)}
