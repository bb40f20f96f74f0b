"""Stresses of an anisotropic solid: six strains of a point times a shared matrix of 6 x 6, f64."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 40000}
SMALL = {"n": 70}


def make(rng, n):
    arrays = {
        "stiffness": rng.uniform(-1, 1, (6, 6)),
        "strain": rng.uniform(-1, 1, (n, 6)),
        "stress": np.zeros((n, 6)),
    }
    return Problem(
        arrays, [Launch("stress6", (np.uint32(n), *arrays), (n,))], ("stress",), rtol=1e-10
    )


def answer(problem):
    return {"stress": problem.arrays["strain"] @ problem.arrays["stiffness"].T}
