"""Numbers become decimal text in fields of ten bytes, a number a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 200}


def make(rng, n):
    arrays = {
        "number": (rng.integers(0, 1 << 32, n) >> rng.integers(0, 30, n)).astype(np.uint32),
        "text": np.zeros((n, 10), np.uint8),
    }
    return Problem(arrays, [Launch("decimals", (np.uint32(n), *arrays), (n,))], ("text",))


def answer(problem):
    text = b"".join(b"%-10d" % k for k in problem.arrays["number"].tolist())
    return {"text": np.frombuffer(text, np.uint8)}
