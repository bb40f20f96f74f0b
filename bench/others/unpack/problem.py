"""Columns of a database: differences packed in 11 bits each, and their sums in blocks of 256."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"blocks": 1 << 11}
SMALL = {"blocks": 3}
BLOCK, BITS = 256, 11


def make(rng, blocks):
    difference = rng.integers(0, 1 << BITS, blocks * BLOCK, np.uint32)
    bits = (difference[:, None] >> np.arange(BITS, dtype=np.uint32) & 1).astype(np.uint8)
    packed = np.packbits(bits.ravel(), bitorder="little").view(np.uint32)
    arrays = {
        "packed": np.append(packed, np.uint32(0)),
        "first": rng.integers(0, 1 << 30, blocks, np.uint32),
        "number": np.zeros(blocks * BLOCK, np.uint32),
    }
    launch = Launch("unpack", (np.uint32(blocks), np.uint32(BITS), *arrays), (blocks * BLOCK,))
    return Problem(arrays, [launch], ("number",))


def answer(problem):
    a = problem.arrays
    bits = np.unpackbits(a["packed"][:-1].view(np.uint8), bitorder="little").reshape(
        -1, BLOCK, BITS
    )
    difference = (bits.astype(np.uint32) << np.arange(BITS, dtype=np.uint32)).sum(
        2, dtype=np.uint32
    )
    return {"number": (np.cumsum(difference, 1, np.uint32) + a["first"][:, None]).ravel()}
