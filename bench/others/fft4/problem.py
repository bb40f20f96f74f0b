"""Fourier transforms of 256 complex numbers in group memory, radix 4, roots by sine and cosine."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 512}
SIZE = 256


def make(rng, n):
    """Real and imaginary parts are in arrays of their own."""
    arrays = {"re": rng.standard_normal(n, np.float32), "im": rng.standard_normal(n, np.float32)}
    launch = Launch("fft4", (np.uint32(n), *arrays), (n // 4,), (SIZE // 4,))
    return Problem(arrays, [launch], ("re", "im"), rtol=1e-3, atol=1e-3)


def answer(problem):
    x = problem.arrays["re"] + 1j * problem.arrays["im"].astype(np.complex128)
    y = np.fft.fft(x.reshape(-1, SIZE), axis=1).ravel()
    return {"re": y.real.astype(np.float32), "im": y.imag.astype(np.float32)}
