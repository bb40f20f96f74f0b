"""Distances along rays into spheres on a grid: a march that rays end at different times."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 256, "height": 128, "limit": 64}
SMALL = {"width": 35, "height": 5, "limit": 16}


def make(rng, width, height, limit):
    arrays = {"far": np.zeros((height, width), np.float32)}
    sizes = [np.uint32(size) for size in (width, height, limit)]
    launch = Launch("raymarch", (*sizes, "far"), (width, height), (256, 1))
    return Problem(arrays, [launch], ("far",), rtol=1e-2, atol=1e-2, differing=0.03)


def answer(problem):
    sizes = problem.sizes
    u = (np.arange(sizes.width) + 0.5) / sizes.width * 2 - 1
    v = ((np.arange(sizes.height) + 0.5) / sizes.height * 2 - 1) / 2
    ray = np.stack(np.broadcast_arrays(u[None, :], v[:, None], 1.0))
    ray = ray / np.sqrt((ray**2).sum(axis=0))
    far, running = np.zeros(ray.shape[1:]), np.ones(ray.shape[1:], bool)
    start = np.array([2.0, 2.0, 0.0])[:, None, None]
    for _ in range(sizes.limit):
        place = start + far * ray
        cell = place - 4 * np.floor(place / 4) - 2
        distance = np.minimum(np.sqrt((cell**2).sum(axis=0)) - 0.8, place[1] + 3)
        running &= (distance >= 1e-3) & (far <= 40)
        far = np.where(running, far + distance, far)
    return {"far": far.astype(np.float32)}
