"""Spheres by path tracing: rays that bounce into random directions of a generator of their own."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 256, "height": 128, "spheres": 9}
SMALL = {"width": 16, "height": 8, "spheres": 5}
BOUNCES = 4


def make(rng, width, height, spheres):
    balls = np.zeros((spheres, 5), np.float32)
    balls[:, 0:2] = rng.uniform(-1.5, 1.5, (spheres, 2))
    balls[:, 2] = rng.uniform(2.5, 5, spheres)
    balls[:, 3] = rng.uniform(0.4, 0.9, spheres)
    balls[:, 4] = rng.uniform(0.3, 0.9, spheres)
    arrays = {"balls": balls, "image": np.zeros((height, width), np.float32)}
    numbers = (np.uint32(width), np.uint32(height), np.uint32(spheres))
    launch = Launch("spheres", (*numbers, *arrays), (width, height), (16, 4))
    return Problem(arrays, [launch], ("image",), rtol=2e-2, atol=2e-3, differing=0.02)


def answer(problem):
    balls = problem.arrays["balls"]
    height, width = problem.arrays["image"].shape
    one = np.float32(1)
    column, row = (v.ravel() for v in np.meshgrid(np.arange(width), np.arange(height)))
    state = (row * width + column + 1).astype(np.uint32) * np.uint32(747796405)

    def random():
        nonlocal state
        state = state * np.uint32(1664525) + np.uint32(1013904223)
        return (state >> np.uint32(8)).astype(np.float32) * np.float32(2**-23) - one

    at = np.zeros((len(row), 3), np.float32)
    way = np.stack(
        [
            (column - np.float32(width / 2)) / np.float32(height),
            (row - np.float32(height / 2)) / np.float32(height),
            np.ones(len(row), np.float32),
        ],
        1,
    ).astype(np.float32)
    way /= np.sqrt((way * way).sum(1, keepdims=True))
    light, image = np.ones(len(row), np.float32), np.zeros(len(row), np.float32)
    alive = np.ones(len(row), bool)
    for _ in range(BOUNCES):
        nearest, hit = np.full(len(row), np.float32(1e30)), np.full(len(row), -1)
        for s, ball in enumerate(balls):
            o = at - ball[:3]
            b = (o * way).sum(1)
            disc = b * b - ((o * o).sum(1) - ball[3] * ball[3])
            t = -b - np.sqrt(np.maximum(disc, 0))
            better = (disc > 0) & (t > np.float32(1e-3)) & (t < nearest)
            nearest, hit = np.where(better, t, nearest), np.where(better, s, hit)
        missed = alive & (hit < 0)
        image += np.where(missed, light * (np.float32(0.5) * (way[:, 1] + one)), 0)
        alive &= hit >= 0
        kept = state
        random_way = np.stack([random(), random(), random()], 1)
        state = np.where(alive, state, kept)
        at = at + way * np.where(alive, nearest, 0)[:, None]
        normal = (at - balls[hit, :3]) / balls[hit, 3, None]
        new = normal + np.float32(0.9) * random_way / np.sqrt(3).astype(np.float32)
        new /= np.sqrt((new * new).sum(1, keepdims=True))
        way = np.where(alive[:, None], new, way).astype(np.float32)
        light = np.where(alive, light * balls[hit, 4], light)
    return {"image": image.reshape(height, width).astype(np.float32)}
