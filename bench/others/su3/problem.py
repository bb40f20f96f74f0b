"""Complex 3 x 3 matrices of a lattice times one of four (lattice QCD), f64: a site a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 6000}
SMALL = {"n": 70}


def make(rng, n):
    def matrices(*shape):
        return rng.uniform(-1, 1, (*shape, 3, 3, 2))

    arrays = {"a": matrices(n, 4), "b": matrices(4), "c": np.zeros((n, 4, 3, 3, 2))}
    return Problem(arrays, [Launch("su3", (np.uint32(n), *arrays), (n,))], ("c",), rtol=1e-10)


def answer(problem):
    a, b = (problem.arrays[name].view(np.complex128)[..., 0] for name in "ab")
    return {"c": (a @ b)[..., None].view(np.float64).reshape(problem.arrays["c"].shape)}
