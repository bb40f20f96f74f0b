"""Percent-encoded texts (URLs), decoded: %XX is a byte, a plus sign a space; a text a work-item."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4000}
SMALL = {"n": 41}
SAFE = np.frombuffer(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789-_.~/", np.uint8)


def make(rng, n):
    texts = [_encoded(rng, size) for size in rng.integers(5, 80, n)]
    start = np.append(0, np.cumsum([len(text) for text in texts])).astype(np.uint32)
    arrays = {
        "start": start,
        "text": np.frombuffer(b"".join(texts), np.uint8).copy(),
        "plain": np.zeros(start[-1], np.uint8),
        "length": np.zeros(n, np.uint32),
    }
    launch = Launch("urldecode", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("plain", "length"))


def _encoded(rng, size):
    kinds = rng.random(size)
    letters = rng.choice(SAFE, size).tobytes()
    other = rng.integers(0, 256, size)
    parts = []
    for k, kind in enumerate(kinds):
        if kind < 0.8:
            parts.append(letters[k : k + 1])
        else:
            parts.append(b"+" if kind < 0.85 else b"%%%02X" % other[k])
    return b"".join(parts)


def answer(problem):
    start, text, plain, length = problem.arrays.values()
    plain, length = plain.copy(), length.copy()
    for i, (a, b) in enumerate(pairwise(start)):
        rest, decoded = text[a:b].tobytes(), bytearray()
        while rest:
            if rest[0] == 37 and len(rest) >= 3:
                decoded.append(int(rest[1:3], 16))
                rest = rest[3:]
            else:
                decoded.append(32 if rest[0] == 43 else rest[0])
                rest = rest[1:]
        plain[a : a + len(decoded)] = decoded
        length[i] = len(decoded)
    return {"plain": plain, "length": length}
