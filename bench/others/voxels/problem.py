"""Rays through a grid of voxels: each steps from voxel to voxel until it hits a full one."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 256, "height": 128, "side": 64}
SMALL = {"width": 24, "height": 12, "side": 16}


def make(rng, width, height, side):
    grid = (rng.random((side, side, side)) < 0.02).astype(np.uint8)
    arrays = {"grid": grid, "steps": np.zeros((height, width), np.uint32)}
    numbers = (np.uint32(width), np.uint32(height), np.uint32(side))
    launch = Launch("voxels", (*numbers, *arrays), (width, height), (16, 16))
    return Problem(arrays, [launch], ("steps",), differing=1e-3)


def answer(problem):
    s = problem.sizes
    y, x = np.divmod(np.arange(s.width * s.height), s.width)
    f = np.float32
    dx = (x.astype(f) + f(0.5)) / f(s.width) - f(0.5)
    dy = (y.astype(f) + f(0.5)) / f(s.height) - f(0.5)
    place = [np.full(x.size, s.side // 2, np.int64) for _ in range(2)] + [
        np.zeros(x.size, np.int64)
    ]
    step = [np.where(d < 0, -1, 1) for d in (dx, dy)] + [np.ones(x.size, np.int64)]
    delta = [f(1) / np.abs(dx), f(1) / np.abs(dy), np.ones(x.size, f)]
    to = [delta[0] * f(0.5), delta[1] * f(0.5), delta[2] * f(0.5)]
    steps, active = np.zeros(x.size, np.uint32), np.ones(x.size, bool)
    while active.any():
        axis = np.where(to[0] < to[1], np.where(to[0] < to[2], 0, 2), np.where(to[1] < to[2], 1, 2))
        for k in range(3):
            moves = active & (axis == k)
            place[k] = place[k] + np.where(moves, step[k], 0)
            to[k] = np.where(moves, to[k] + delta[k], to[k])
        active = active & np.all([(p >= 0) & (p < s.side) for p in place], axis=0)
        px, py, pz = (np.where(active, p, 0) for p in place)
        full = active & (problem.arrays["grid"][pz, py, px] != 0)
        steps += active
        active &= ~full
    return {"steps": steps.reshape(s.height, s.width)}
