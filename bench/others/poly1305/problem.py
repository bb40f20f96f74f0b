"""Poly1305 of messages of 64 bytes, a message and a key a work-item: limbs of 26 bits."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 60}


def make(rng, n):
    arrays = {
        "key": rng.integers(0, 1 << 32, (n, 8), np.uint32),
        "message": rng.integers(0, 1 << 32, (n, 16), np.uint32),
        "tag": np.zeros((n, 4), np.uint32),
    }
    return Problem(arrays, [Launch("poly1305", (np.uint32(n), *arrays), (n,))], ("tag",))


def answer(problem):
    a = problem.arrays
    tags = [_tag(k.tobytes(), m.tobytes()) for k, m in zip(a["key"], a["message"], strict=True)]
    return {"tag": np.frombuffer(b"".join(tags), np.uint32).reshape(-1, 4)}


def _tag(key, message):
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    sum_ = 0
    for first in range(0, len(message), 16):
        block = int.from_bytes(message[first : first + 16], "little") + (1 << 128)
        sum_ = (sum_ + block) * r % ((1 << 130) - 5)
    return (sum_ + int.from_bytes(key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")
