"""The gate of a mixture of experts: the best two of sixteen scores, and their shares."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 50021}
SMALL = {"n": 301}


def make(rng, n):
    arrays = {
        "score": rng.normal(0, 1, (n, 16)).astype(np.float32),
        "expert": np.zeros((n, 2), np.uint8),
        "share": np.zeros((n, 2), np.float32),
    }
    launch = Launch("moegate", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("expert", "share"))


def answer(problem):
    score = problem.arrays["score"]
    expert = np.argsort(-score, axis=1, kind="stable")[:, :2]
    powers = np.exp(np.take_along_axis(score, expert, 1).astype(np.float64))
    share = powers / powers.sum(1, keepdims=True)
    return {"expert": expert.astype(np.uint8), "share": share.astype(np.float32)}
