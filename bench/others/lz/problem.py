"""Decoding of LZ blocks, a block a work-item: runs of literals and copies from further back."""

import numpy as np
from peers.problem import Launch, Problem

BLOCK = 256
FULL = {"n": 1 << 12}
SMALL = {"n": 24}


def make(rng, n):
    streams, blocks = [], []
    for _ in range(n):
        stream, block = bytearray(), bytearray()
        while len(block) < BLOCK:
            literals = int(min(rng.integers(1, 12), BLOCK - len(block)))
            text = rng.integers(97, 123, literals, np.uint8).tobytes()
            block += text
            length = int(min(rng.integers(3, 20), BLOCK - len(block)))
            back = int(rng.integers(1, min(255, len(block)) + 1))
            for _ in range(length):
                block.append(block[-back])
            stream += bytes((literals, length, back)) + text
        streams.append(bytes(stream))
        blocks.append(bytes(block))
    arrays = {
        "start": np.append(0, np.cumsum([len(s) for s in streams])).astype(np.uint32),
        "coded": np.frombuffer(b"".join(streams), np.uint8),
        "text": np.zeros((n, BLOCK), np.uint8),
    }
    problem = Problem(arrays, [Launch("lz", (np.uint32(n), *arrays), (n,))], ("text",))
    problem.blocks = np.frombuffer(b"".join(blocks), np.uint8).reshape(n, BLOCK)
    return problem


def answer(problem):
    return {"text": problem.blocks}
