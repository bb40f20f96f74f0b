"""The matrix Q of a magnetic resonance image: sums of sines and cosines (Parboil's mri-q)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 8192, "samples": 256}
SMALL = {"n": 100, "samples": 24}


def make(rng, n, samples):
    arrays = {
        "k": rng.uniform(-1, 1, (samples, 4)).astype(np.float32),
        "x": rng.uniform(-1, 1, n).astype(np.float32),
        "y": rng.uniform(-1, 1, n).astype(np.float32),
        "z": rng.uniform(-1, 1, n).astype(np.float32),
        "real": np.zeros(n, np.float32),
        "imaginary": np.zeros(n, np.float32),
    }
    numbers = (np.uint32(n), np.uint32(samples))
    launch = Launch("q", (*numbers, *arrays), (n,))
    return Problem(arrays, [launch], ("real", "imaginary"), rtol=1e-3, atol=1e-3)


def answer(problem):
    a = {name: array.astype(np.float64) for name, array in problem.arrays.items()}
    phase = 2 * np.pi * (np.stack([a["x"], a["y"], a["z"]], 1) @ a["k"][:, :3].T)
    size = a["k"][:, 3]
    return {
        "real": (np.cos(phase) @ size).astype(np.float32),
        "imaginary": (np.sin(phase) @ size).astype(np.float32),
    }
