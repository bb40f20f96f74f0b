"""Deferred shading: a tile of 16 x 16 pixels lists the lights that reach it, then adds them."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 320, "height": 176, "lights": 300}
SMALL = {"width": 32, "height": 16, "lights": 60}
TILE, MOST = 16, 512


def make(rng, width, height, lights):
    y, x = np.mgrid[:height, :width]
    depth = 40 + 20 * np.sin(x / 31) * np.cos(y / 23) + (x + y) % 7 + 30 * ((x // 50 + y // 40) % 2)
    place = rng.uniform(0, (width, height, 120), (lights, 3))
    arrays = {
        "depth": depth.astype(np.float32),
        "light": np.column_stack((place, rng.uniform(10, 40, lights))).astype(np.float32),
        "shade": np.zeros((height, width), np.uint32),
    }
    sizes = np.uint32(width), np.uint32(height), np.uint32(lights)
    launch = Launch("deferred", (*sizes, *arrays), (width, height), (TILE, TILE))
    return Problem(arrays, [launch], ("shade",), differing=0.02)


def answer(problem):
    a = problem.arrays
    depth = a["depth"].astype(np.float64)
    shade = np.zeros(depth.shape, np.uint32)
    y, x = np.mgrid[: depth.shape[0], : depth.shape[1]]
    for lx, ly, lz, reach in a["light"].astype(np.float64):
        square = (lx - x) ** 2 + (ly - y) ** 2 + (lz - depth) ** 2
        share = 1 - square / reach**2
        shade += np.where(share > 0, share * 1024, 0).astype(np.uint32)
    return {"shade": shade}
