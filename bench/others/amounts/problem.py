"""Amounts like `-123.45` in text become cents: a field a work-item, a byte at a time."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 200}


def make(rng, n):
    cents = (rng.integers(-(1 << 30), 1 << 30, n) >> rng.integers(0, 28, n)).tolist()
    fields = [f"{'-' * (c < 0)}{abs(c) // 100}.{abs(c) % 100:02d}".encode() for c in cents]
    arrays = {
        "start": np.append(0, np.cumsum([len(f) for f in fields])).astype(np.uint32),
        "text": np.frombuffer(b"".join(fields), np.uint8),
        "cents": np.zeros(n, np.int32),
    }
    return Problem(arrays, [Launch("amounts", (np.uint32(n), *arrays), (n,))], ("cents",))


def answer(problem):
    start, text = problem.arrays["start"].tolist(), problem.arrays["text"].tobytes()
    digits = text.replace(b".", b"")
    # Each field has one point, so that the k-th begins k digits earlier without them.
    places = [place - k for k, place in enumerate(start)]
    return {"cents": np.array([int(digits[i:j]) for i, j in pairwise(places)], np.int32)}
