"""SHA-512 of messages of 64 bytes, a message a work-item: 80 rounds, sixteen words of 64 bits."""

import hashlib

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 30}


def make(rng, n):
    arrays = {
        "message": rng.integers(0, 1 << 64, (n, 8), np.uint64),
        "digest": np.zeros((n, 8), np.uint64),
    }
    return Problem(arrays, [Launch("sha512", (np.uint32(n), *arrays), (n,))], ("digest",))


def answer(problem):
    messages = problem.arrays["message"].astype(">u8")
    digests = [hashlib.sha512(row.tobytes()).digest() for row in messages]
    return {"digest": np.frombuffer(b"".join(digests), ">u8").reshape(-1, 8).astype(np.uint64)}
