"""Random pairs of the NAS benchmark EP: a product modulo 2^46 by halves in f64, pairs in a disc."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2003, "pairs": 40}
SMALL = {"n": 61, "pairs": 7}
FACTOR = 145 * 2**23 + 4354965


def make(rng, n, pairs):
    arrays = {
        "seed": rng.integers(1, 1 << 46, n).astype(np.float64),
        "count": np.zeros(n, np.uint32),
        "sum": np.zeros(n),
    }
    scalars = np.uint32(n), np.uint32(pairs)
    launch = Launch("nasrand", (*scalars, *arrays), (n,))
    return Problem(arrays, [launch], ("count", "sum"))


def answer(problem):
    x = problem.arrays["seed"].astype(np.int64).astype(object)
    count, total = np.zeros(x.size, np.uint32), np.zeros(x.size)
    for _ in range(problem.sizes.pairs):
        t = np.zeros(x.size)
        for _ in range(2):
            x = x * FACTOR % 2**46
            t += (x.astype(np.float64) * 2.0**-45 - 1) ** 2
        count += t <= 1
        total += np.where(t <= 1, t, 0)
    return {"count": count, "sum": total}
