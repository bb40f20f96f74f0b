"""Tokens of JSON-like text: strings with escapes, numbers and signs, a document a work-item."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "longest": 40}
SMALL = {"n": 100, "longest": 6}


def make(rng, n, longest):
    parts = rb"""{ } [ ] : , 12 3.5e2 "key" "a\"b" true""".split()
    documents = []
    for length in rng.integers(1, longest, n):
        documents.append(b" ".join(parts[k] for k in rng.integers(0, len(parts), length)))
    arrays = {
        "start": np.append(0, np.cumsum([len(d) for d in documents])).astype(np.uint32),
        "text": np.frombuffer(b"".join(documents), np.uint8),
        "count": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("tokens", (np.uint32(n), *arrays), (n,))], ("count",))


def answer(problem):
    start, text = problem.arrays["start"].tolist(), problem.arrays["text"].tobytes()
    return {"count": np.array([_count(text[i:j]) for i, j in pairwise(start)], np.uint32)}


def _count(document):
    count, state = 0, 0  # outside, in a string, after a backslash, in a word
    for byte in document:
        if state == 1:
            state = 2 if byte == ord("\\") else 0 if byte == ord('"') else 1
        elif state == 2:
            state = 1
        elif byte == ord('"'):
            count, state = count + 1, 1
        elif byte in b" \t\n":
            state = 0
        elif byte in b"{}[]:,":
            count, state = count + 1, 0
        else:
            count, state = count + (state == 0), 3
    return count
