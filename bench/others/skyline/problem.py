"""The skyline of a table: rows that no other row is better than, in four columns of floats."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 3000}
SMALL = {"n": 130}


def make(rng, n):
    arrays = {name: np.round(rng.random(n) * 1000).astype(np.float32) for name in "abcd"}
    arrays["best"] = np.zeros(n, np.uint8)
    return Problem(arrays, [Launch("skyline", (np.uint32(n), *arrays), (n,))], ("best",))


def answer(problem):
    rows = np.stack([problem.arrays[name] for name in "abcd"])
    best = [
        not ((rows <= row[:, None]).all(0) & (rows < row[:, None]).any(0)).any() for row in rows.T
    ]
    return {"best": np.array(best, np.uint8)}
