"""BLAKE2b-512 of messages of 128 bytes, a message a work-item: the rounds by loops and tables."""

import hashlib

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 40}


def make(rng, n):
    arrays = {
        "message": rng.integers(0, 1 << 64, (n, 16), np.uint64),
        "digest": np.zeros((n, 8), np.uint64),
    }
    return Problem(arrays, [Launch("blake2b", (np.uint32(n), *arrays), (n,))], ("digest",))


def answer(problem):
    digests = [hashlib.blake2b(row.tobytes()).digest() for row in problem.arrays["message"]]
    return {"digest": np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 8)}
