"""Fourier transforms of 64 complex numbers, radix 4: four transforms a group of 64."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"batch": 2048}
SMALL = {"batch": 8}
SIZE = 64


def make(rng, batch):
    angle = -2 * np.pi * np.arange(SIZE) / SIZE
    arrays = {
        "root": np.stack([np.cos(angle), np.sin(angle)], 1).astype(np.float32),
        "x": rng.standard_normal((batch, SIZE, 2), np.float32),
        "y": np.zeros((batch, SIZE, 2), np.float32),
    }
    launch = Launch("fft64", (np.uint32(batch), *arrays), (batch * SIZE // 4,), (64,))
    return Problem(arrays, [launch], ("y",), rtol=1e-4, atol=1e-4)


def answer(problem):
    x = problem.arrays["x"].astype(np.float64)
    y = np.fft.fft(x[..., 0] + 1j * x[..., 1], axis=1)
    return {"y": np.stack([y.real, y.imag], 2).astype(np.float32)}
