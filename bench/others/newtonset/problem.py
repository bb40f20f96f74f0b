"""Newton's fractal of z^3 = 1: steps until z rests, and the root that it is at."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 256, "height": 256}
SMALL = {"width": 35, "height": 10}
STEPS = 40


def make(rng, width, height):
    arrays = {
        "steps": np.zeros((height, width), np.uint32),
        "root": np.full((height, width), 9, np.uint8),
    }
    numbers = np.uint32(width), np.uint32(height), np.uint32(STEPS)
    launch = Launch("newtonset", (*numbers, *arrays), (width, height), (16, 16))
    return Problem(arrays, [launch], ("steps", "root"), differing=0.05)


def answer(problem):
    height, width = problem.arrays["steps"].shape
    y, x = np.mgrid[:height, :width]
    z = (x + 0.5) * (4 / width) - 2 + 1j * ((y + 0.5) * (4 / height) - 2)
    steps, running = np.zeros(z.shape, np.uint32), np.ones(z.shape, bool)
    for _ in range(STEPS):
        change = (z**3 - 1) / (3 * z * z)
        z = np.where(running, z - change, z)
        steps += running
        running &= np.abs(change) ** 2 >= 1e-6
    root = np.where(z.real > 0, 0, np.where(z.imag > 0, 1, 2))
    return {"steps": steps, "root": root.astype(np.uint8)}
