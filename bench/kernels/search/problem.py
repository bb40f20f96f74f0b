"""Where a word occurs in a text, a work-item a place: bytes, and a loop left early."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 22, "length": 8}
SMALL = {"n": 3000, "length": 4}


def make(rng, n, length):
    text = rng.integers(ord("a"), ord("e"), n + length, np.uint8)
    word = text[n // 2 : n // 2 + length].copy()
    arrays = {"text": text, "word": word, "found": np.zeros(n, np.uint8)}
    launch = Launch("search", (np.uint32(n), np.uint32(length), *arrays), (n,))
    return Problem(arrays, [launch], ("found",))


def answer(problem):
    n, text = problem.sizes.n, problem.arrays["text"]
    found = np.ones(n, np.uint8)
    for j, letter in enumerate(problem.arrays["word"]):
        found &= text[j : j + n] == letter
    return {"found": found}
