"""Ising's model on a torus: Metropolis steps of the fields of one colour, a generator a field."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 512, "sweeps": 2}
SMALL = {"n": 32, "sweeps": 2}
A, C = np.uint32(1664525), np.uint32(1013904223)


def make(rng, n, sweeps):
    energy = np.arange(5) * 2.0 - 4  # the spin times the sum of its neighbours
    arrays = {
        "chance": np.minimum(np.exp(-2 * energy / 2.3), 1).astype(np.float32),
        "state": rng.integers(0, 1 << 32, (n, n), np.uint32),
        "spin": rng.choice(np.array([-1, 1], np.int32), (n, n)),
    }
    launches = [
        Launch("ising", (np.uint32(n), np.uint32(colour), *arrays), (n, n), (16, 16))
        for colour in (0, 1)
    ]
    return Problem(arrays, launches * sweeps, ("state", "spin"))


def answer(problem):
    chance, n = problem.arrays["chance"], problem.sizes.n
    state, spin = problem.arrays["state"].copy(), problem.arrays["spin"].copy()
    row, column = np.mgrid[:n, :n]
    for step in range(2 * problem.sizes.sweeps):
        here = (row + column) % 2 == step % 2
        near = sum(np.roll(spin, by, axis) for by in (-1, 1) for axis in (0, 1))
        state = np.where(here, state * A + C, state)
        random = (state >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)
        flips = here & (random < chance[(spin * near + 4) >> 1])
        spin = np.where(flips, -spin, spin)
    return {"state": state, "spin": spin}
