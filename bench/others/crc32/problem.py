"""CRC-32 of strings by a table of 256 words, a string a work-item."""

from itertools import pairwise
from zlib import crc32

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "longest": 160}
SMALL = {"n": 120, "longest": 20}


def make(rng, n, longest):
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ np.uint32(0xEDB88320), table >> 1)
    start = np.append(0, np.cumsum(rng.integers(0, longest, n))).astype(np.uint32)
    arrays = {
        "table": table.astype(np.uint32),
        "start": start,
        "text": rng.integers(0, 256, int(start[-1]), np.uint8),
        "crc": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("crc32", (np.uint32(n), *arrays), (n,))], ("crc",))


def answer(problem):
    start, text = problem.arrays["start"].tolist(), problem.arrays["text"].tobytes()
    return {"crc": np.array([crc32(text[i:j]) for i, j in pairwise(start)], np.uint32)}
