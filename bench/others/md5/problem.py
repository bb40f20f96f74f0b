"""MD5 of messages of 32 bytes, a message a work-item: rounds by tables, words in private memory."""

import hashlib

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 60}


def make(rng, n):
    arrays = {
        "message": rng.integers(0, 1 << 32, (n, 8), np.uint32),
        "digest": np.zeros((n, 4), np.uint32),
    }
    return Problem(arrays, [Launch("md5", (np.uint32(n), *arrays), (n,))], ("digest",))


def answer(problem):
    digests = [hashlib.md5(row.tobytes()).digest() for row in problem.arrays["message"]]
    return {"digest": np.frombuffer(b"".join(digests), np.uint32).reshape(-1, 4)}
