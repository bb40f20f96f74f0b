"""Whether strings match patterns with `*` and `?`: a string a work-item, with ways back."""

from fnmatch import fnmatchcase

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 150}
LONGEST = 24
PATTERNS = "a*b abc* *c*a* ?b*c* *ab?c *a?b*c a*a*a* *".split()


def make(rng, n):
    length = rng.integers(0, LONGEST + 1, n)
    start = np.append(0, np.cumsum(length))
    pattern = np.zeros((len(PATTERNS), 16), np.uint8)
    for k, one in enumerate(PATTERNS):
        pattern[k, : len(one)] = np.frombuffer(one.encode(), np.uint8)
    arrays = {
        "pattern": pattern,
        "which": rng.integers(0, len(PATTERNS), n, np.uint8),
        "start": start.astype(np.uint32),
        "text": rng.integers(97, 100, start[-1] + 1, np.uint8),
        "match": np.full(n, 2, np.uint8),
    }
    return Problem(arrays, [Launch("glob", (np.uint32(n), *arrays), (n,))], ("match",))


def answer(problem):
    a = problem.arrays
    text, start = a["text"].tobytes().decode(), a["start"].tolist()
    match = [
        fnmatchcase(text[i:j], PATTERNS[k])
        for i, j, k in zip(start, start[1:], a["which"].tolist(), strict=False)
    ]
    return {"match": np.array(match, np.uint8)}
