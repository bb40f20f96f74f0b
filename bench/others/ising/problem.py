"""An Ising model: spins of one colour of a chequerboard flip at random, as Metropolis has it."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"size": 512, "rounds": 4}
SMALL = {"size": 24, "rounds": 2}
CHANCE = np.exp(-2.0 * np.arange(-4, 5) / 2.2).clip(0, 1).astype(np.float32)


def make(rng, size, rounds):
    arrays = {"spin": (rng.integers(0, 2, (size, size)) * 2 - 1).astype(np.int8), "chance": CHANCE}
    launches = [
        Launch(
            "ising",
            (np.uint32(size), np.uint32(k & 1), np.uint32(977 * k + 1), *arrays),
            (size, size),
            (64, 4),
        )
        for k in range(2 * rounds)
    ]
    return Problem(arrays, launches, ("spin",))


def answer(problem):
    spin, size = problem.arrays["spin"].copy(), problem.sizes.size
    y, x = np.mgrid[:size, :size].astype(np.uint32)
    for k in range(2 * problem.sizes.rounds):
        h = (y * np.uint32(size) + x) * np.uint32(747796405) + np.uint32(977 * k + 1)
        h = (h >> (h >> 28) + 4 ^ h) * np.uint32(277803737)
        h = h >> 22 ^ h
        near = sum(np.roll(spin, s, axis).astype(int) for s in (1, -1) for axis in (0, 1))
        chance = problem.arrays["chance"][spin * near + 4]
        flips = ((x + y & 1) == (k & 1)) & (
            (h >> 8).astype(np.float32) * np.float32(2.0**-24) < chance
        )
        spin[flips] *= -1
    return {"spin": spin}
