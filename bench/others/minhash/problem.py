"""MinHash: the least of each of several hashes over a document's tokens."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"documents": 1000, "hashes": 12}
SMALL = {"documents": 70, "hashes": 3}


def make(rng, documents, hashes):
    first = np.concatenate([[0], np.cumsum(rng.integers(1, 40, documents))]).astype(np.uint32)
    arrays = {
        "first": first,
        "tokens": rng.integers(0, 1 << 32, first[-1], np.uint32),
        "factor": rng.integers(0, 1 << 32, hashes, np.uint32) | np.uint32(1),
        "least": np.zeros((hashes, documents), np.uint32),
    }
    numbers = np.uint32(documents), np.uint32(hashes)
    launch = Launch("minhash", (*numbers, *arrays), (documents,), (128,))
    return Problem(arrays, [launch], ("least",))


def answer(problem):
    first, tokens, factor, _ = problem.arrays.values()
    value = tokens * factor[:, None]
    value = (value ^ value >> 15) * np.uint32(0x85EBCA6B)
    return {"least": np.minimum.reduceat(value, first[:-1].astype(np.int64), 1)}
