"""Fourier transforms of 16 complex numbers a work-item, radix 2, in private arrays."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 200}


def make(rng, n):
    arrays = {
        "re": rng.standard_normal((16, n), np.float32),
        "im": rng.standard_normal((16, n), np.float32),
        "to_re": np.zeros((16, n), np.float32),
        "to_im": np.zeros((16, n), np.float32),
    }
    launch = Launch("fft16", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("to_re", "to_im"), rtol=1e-4, atol=1e-4)


def answer(problem):
    got = np.fft.fft(problem.arrays["re"] + 1j * problem.arrays["im"].astype(np.float64), axis=0)
    return {"to_re": got.real.astype(np.float32), "to_im": got.imag.astype(np.float32)}
