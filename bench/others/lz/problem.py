"""Decoding of LZ blocks, a block a work-item: runs of literals and copies from further back."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

BLOCK = 256
FULL = {"n": 1 << 12}
SMALL = {"n": 24}


def make(rng, n):
    streams = []
    for _ in range(n):
        stream, made = bytearray(), 0
        while made < BLOCK:
            literals = int(min(rng.integers(1, 12), BLOCK - made))
            text = rng.integers(97, 123, literals, np.uint8).tobytes()
            made += literals
            length = int(min(rng.integers(3, 20), BLOCK - made))
            back = int(rng.integers(1, min(255, made) + 1))
            made += length
            stream += bytes((literals, length, back)) + text
        streams.append(bytes(stream))
    arrays = {
        "start": np.append(0, np.cumsum([len(s) for s in streams])).astype(np.uint32),
        "coded": np.frombuffer(b"".join(streams), np.uint8),
        "text": np.zeros((n, BLOCK), np.uint8),
    }
    return Problem(arrays, [Launch("lz", (np.uint32(n), *arrays), (n,))], ("text",))


def answer(problem):
    start, coded = problem.arrays["start"].tolist(), problem.arrays["coded"].tobytes()
    blocks = b"".join(_decoded(coded[i:j]) for i, j in pairwise(start))
    return {"text": np.frombuffer(blocks, np.uint8).reshape(-1, BLOCK)}


def _decoded(stream):
    block, at = bytearray(), 0
    while at < len(stream):
        literals, length, back = stream[at : at + 3]
        at += 3
        block += stream[at : at + literals]
        at += literals
        for _ in range(length):
            block.append(block[-back])
    return block
