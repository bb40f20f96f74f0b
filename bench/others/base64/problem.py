"""Base64: three bytes to four characters by a table, and back by another."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 500}
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def make(rng, n):
    letters = np.frombuffer(ALPHABET, np.uint8).copy()
    values = np.full(256, 255, np.uint8)
    values[letters] = np.arange(64)
    arrays = {
        "letters": letters,
        "values": values,
        "raw": rng.integers(0, 256, 3 * n, np.uint8),
        "text": np.zeros(4 * n, np.uint8),
        "back": np.zeros(3 * n, np.uint8),
    }
    count = np.uint32(n)
    launches = [
        Launch("encode", (count, "letters", "raw", "text"), (n,)),
        Launch("decode", (count, "values", "text", "back"), (n,)),
    ]
    return Problem(arrays, launches, ("text", "back"))


def answer(problem):
    raw = problem.arrays["raw"]
    a, b, c = raw.reshape(-1, 3).astype(np.uint32).T
    word = a << 16 | b << 8 | c
    parts = np.stack([word >> 18, word >> 12 & 63, word >> 6 & 63, word & 63], 1)
    return {"text": problem.arrays["letters"][parts].ravel(), "back": raw.copy()}
