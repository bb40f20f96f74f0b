"""SHA-256 of a message of one block a work-item: a private array of 64 words, 64 rounds."""

import hashlib

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 80}


def make(rng, n):
    arrays = {
        "message": rng.integers(0, 1 << 32, (16, n), np.uint32),
        "digest": np.zeros((8, n), np.uint32),
    }
    arrays["message"][14] = 0  # padding for 55 bytes: 440 bits
    arrays["message"][15] = 440
    arrays["message"][13] = arrays["message"][13] & 0xFFFFFF00 | 0x80
    launch = Launch("sha256", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("digest",))


def answer(problem):
    blocks = problem.arrays["message"].T.astype(">u4")
    digests = [hashlib.sha256(block.tobytes()[:55]).digest() for block in blocks]
    digest = np.frombuffer(b"".join(digests), ">u4").reshape(-1, 8).T
    return {"digest": np.ascontiguousarray(digest.astype(np.uint32))}
