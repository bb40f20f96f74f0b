"""Decoding of LZW: chains of prefixes in a dictionary of 256 entries, a text a work-item."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 10, "length": 600}
SMALL = {"n": 20, "length": 90}
LETTERS, ENTRIES = 16, 256


def make(rng, n, length):
    texts = []
    for _ in range(n):
        words = rng.integers(0, LETTERS, (12, 6), np.uint8)
        chosen = words[rng.integers(0, 12, length // 5)]
        texts.append(chosen.reshape(-1)[: int(rng.integers(length // 2, length))].tobytes())
    codes = [_coded(text) for text in texts]
    arrays = {
        "first": np.append(0, np.cumsum([len(c) for c in codes])).astype(np.uint32),
        "code": np.concatenate(codes).astype(np.uint16),
        "to": np.append(0, np.cumsum([len(t) for t in texts])[:-1]).astype(np.uint32),
        "text": np.zeros(sum(map(len, texts)), np.uint8),
    }
    return Problem(arrays, [Launch("lzw", (np.uint32(n), *arrays), (n,), (64,))], ("text",))


def _coded(text):
    entries = {bytes([letter]): letter for letter in range(LETTERS)}
    codes, known = [], b""
    for letter in text:
        longer = known + bytes([letter])
        if longer in entries:
            known = longer
            continue
        codes.append(entries[known])
        if len(entries) < ENTRIES:
            entries[longer] = len(entries)
        known = bytes([letter])
    return [*codes, entries[known]]


def answer(problem):
    codes = problem.arrays["code"].tolist()
    texts = [_decoded(codes[i:j]) for i, j in pairwise(problem.arrays["first"].tolist())]
    return {"text": np.frombuffer(b"".join(texts), np.uint8)}


def _decoded(codes):
    entries = [bytes([letter]) for letter in range(LETTERS)]
    text, before = [], b""
    for code in codes:
        if before and len(entries) < ENTRIES:
            word = entries[code] if code < len(entries) else before
            entries.append(before + word[:1])
        before = entries[code]
        text.append(before)
    return b"".join(text)
