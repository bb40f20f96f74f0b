"""Fourier transforms of 512 complex numbers in group memory, radix 2, tables of roots."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 1024}
SIZE = 512


def make(rng, n):
    """Real and imaginary parts are in arrays of their own; `root` has cosines, then sines."""
    angles = -2 * np.pi * np.arange(SIZE // 2) / SIZE
    arrays = {
        "root": np.concatenate([np.cos(angles), np.sin(angles)]).astype(np.float32),
        "re": rng.standard_normal(n, np.float32),
        "im": rng.standard_normal(n, np.float32),
    }
    launch = Launch("fft", (np.uint32(n), *arrays), (n // 2,), (SIZE // 2,))
    return Problem(arrays, [launch], ("re", "im"), rtol=1e-3, atol=1e-3)


def answer(problem):
    x = problem.arrays["re"] + 1j * problem.arrays["im"].astype(np.complex128)
    y = np.fft.fft(x.reshape(-1, SIZE), axis=1).ravel()
    return {"re": y.real.astype(np.float32), "im": y.imag.astype(np.float32)}
