"""Edit distance of a pair of words per work-item: a private array, nested loops."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 8192, "length": 48}
SMALL = {"n": 300, "length": 9}


def make(rng, n, length):
    arrays = {
        "a": rng.integers(0, 4, (length, n), np.uint8),
        "b": rng.integers(0, 4, (length, n), np.uint8),
        "distance": np.zeros(n, np.uint32),
    }
    launch = Launch("edit", (np.uint32(n), np.uint32(length), *arrays), (n,))
    return Problem(arrays, [launch], ("distance",))


def answer(problem):
    n, length = problem.sizes.n, problem.sizes.length
    a, b = problem.arrays["a"], problem.arrays["b"]
    row = np.repeat(np.arange(length + 1, dtype=np.uint32)[:, None], n, 1)
    for i in range(length):
        diagonal = row[0].copy()
        row[0] = i + 1
        for j in range(length):
            change = diagonal + (a[i] != b[j])
            diagonal = row[j + 1].copy()
            row[j + 1] = np.minimum(np.minimum(diagonal, row[j]) + 1, change)
    return {"distance": row[length]}
