"""Series of Legendre polynomials in f64, by their recurrence."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 6000, "terms": 20}
SMALL = {"n": 300, "terms": 5}


def make(rng, n, terms):
    arrays = {"share": rng.random(terms), "x": rng.uniform(-1, 1, n), "y": np.zeros(n)}
    launch = Launch("legendre", (np.uint32(n), np.uint32(terms), *arrays), (n,))
    return Problem(arrays, [launch], ("y",))


def answer(problem):
    share, x, _ = problem.arrays.values()
    return {"y": np.polynomial.legendre.legval(x, share)}
