"""Attention of one head: scores of a query with all keys, a softmax as it goes, a sum of values."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 768}
SMALL = {"n": 20}
WIDTH = 8


def make(rng, n):
    arrays = {name: rng.standard_normal((n, WIDTH), np.float32) for name in ("q", "k", "v")}
    arrays["out"] = np.zeros((n, WIDTH), np.float32)
    launch = Launch("attention", (np.uint32(n), np.float32(0.35), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("out",), rtol=1e-3, atol=1e-4)


def answer(problem):
    q, k, v = (problem.arrays[name].astype(np.float64) for name in ("q", "k", "v"))
    scores = q @ k.T * 0.35
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return {"out": (weights @ v / weights.sum(1, keepdims=True)).astype(np.float32)}
