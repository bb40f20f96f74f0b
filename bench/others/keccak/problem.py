"""SHA3-256 of messages of 64 bytes, a message a work-item: Keccak's rounds by loops and tables."""

import hashlib

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 40}


def make(rng, n):
    arrays = {
        "message": rng.integers(0, 1 << 64, (n, 8), np.uint64),
        "digest": np.zeros((n, 4), np.uint64),
    }
    return Problem(arrays, [Launch("keccak", (np.uint32(n), *arrays), (n,))], ("digest",))


def answer(problem):
    digests = [hashlib.sha3_256(row.tobytes()).digest() for row in problem.arrays["message"]]
    return {"digest": np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 4)}
