"""Matches of a pattern of letters, dots and stars, with a stack of choices a work-item."""

import re

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 70}
LENGTH = 32
PATTERN = b"a*b.c*.a*d"


def make(rng, n):
    arrays = {
        "pattern": np.frombuffer(PATTERN + b"\0\0", np.uint8),
        "text": rng.choice(np.frombuffer(b"aaabbcd", np.uint8), (n, LENGTH)),
        "found": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("backtrack", (np.uint32(n), *arrays), (n,), (64,))], ("found",))


def answer(problem):
    texts = [row.tobytes() for row in problem.arrays["text"]]
    pattern = re.compile(PATTERN)
    starts = [sum(pattern.match(text, at) is not None for at in range(LENGTH)) for text in texts]
    return {"found": np.array(starts, np.uint32)}
