"""Fluxes of Euler's equations between the cells of an unstructured mesh (Rodinia's cfd)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 192 * 170}
SMALL = {"n": 100}
GAMMA = 1.4


def contributions(state):
    """Pressure, speed of sound, speed and fluxes of momentum and energy; the state is 5 arrays."""
    density, mx, my, mz, energy = state
    vx, vy, vz = mx / density, my / density, mz / density
    squared = vx * vx + vy * vy + vz * vz
    pressure = (GAMMA - 1) * (energy - 0.5 * density * squared)
    sound = np.sqrt(GAMMA * pressure / density)
    work = energy + pressure
    x = np.stack([vx * mx + pressure, vx * my, vx * mz])
    y = np.stack([x[1], vy * my + pressure, vy * mz])
    z = np.stack([x[2], y[2], vz * mz + pressure])
    return pressure, sound, np.sqrt(squared), x, y, z, np.stack([vx, vy, vz]) * work


def make(rng, n):
    """Neighbours are near in memory, as a mesh has them; -1 is a wall, -2 the far field."""
    near = np.arange(n)[:, None] + rng.choice([-97, -1, 1, 97, -95, 95], (n, 4))
    near = np.where((near < 0) | (near >= n), -1 - rng.integers(0, 2, (n, 4)), near)
    far = np.array([1.4, 1.68, 0.1, 0.0, 3.5])
    around = contributions(far)
    arrays = {
        "far": np.concatenate([far, around[3], around[4], around[5], around[6]]).astype(np.float32),
        "near": np.ascontiguousarray(near.T.astype(np.int32)),
        "normal": rng.uniform(-1, 1, (3, 4, n)).astype(np.float32),
        "state": (far[:, None] * rng.uniform(0.9, 1.1, (5, n))).astype(np.float32),
        "flux": np.zeros((5, n), np.float32),
    }
    launch = Launch("euler", (np.uint32(n), *arrays), (n,), (192,))
    return Problem(arrays, [launch], ("flux",), rtol=1e-3, atol=1e-3)


def answer(problem):
    state = problem.arrays["state"].astype(np.float64)
    far = problem.arrays["far"].astype(np.float64)[:5]
    pressure, sound, speed, *own = contributions(state)
    flux = np.zeros_like(state)
    for near, normal in zip(
        problem.arrays["near"], problem.arrays["normal"].transpose(1, 0, 2), strict=True
    ):
        n = normal.astype(np.float64)
        size = np.sqrt((n * n).sum(0))
        other = np.where(near >= 0, state[:, near], far[:, None])
        _, sound_near, speed_near, *around = contributions(other)
        factor = -size * 0.2 * 0.5 * (speed + speed_near + sound + sound_near)
        change = np.where(near >= 0, factor * (state - other), 0)
        for axis in range(3):
            half = 0.5 * n[axis]
            change[0] += half * (other[1 + axis] + state[1 + axis])
            change[4] += half * (around[3][axis] + own[3][axis])
            change[1:4] += half * (around[axis] + own[axis])
        wall = np.zeros_like(change)
        wall[1:4] = n * pressure
        flux += np.where(near == -1, wall, change)
    return {"flux": flux.astype(np.float32)}
