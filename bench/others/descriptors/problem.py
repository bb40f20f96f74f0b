"""The nearest of all descriptors of 256 bits for each query, by the number of bits that differ."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"queries": 4096, "known": 512}
SMALL = {"queries": 70, "known": 64}
GROUP, TILE = 64, 32


def make(rng, queries, known):
    table = rng.integers(0, 1 << 32, (known, 8), np.uint32)
    noise = rng.integers(0, 1 << 32, (3, queries, 8), np.uint32)
    query = table[rng.integers(0, known, queries)] ^ (noise[0] & noise[1] & noise[2])
    arrays = {"query": query, "table": table, "nearest": np.zeros((queries, 2), np.uint32)}
    items = -(-queries // GROUP) * GROUP
    launch = Launch("descriptors", (np.uint32(queries), np.uint32(known), *arrays), (items,), (GROUP,))
    return Problem(arrays, [launch], ("nearest",))


def answer(problem):
    query, table = (problem.arrays[name].view(np.uint8) for name in ("query", "table"))
    bits = np.array([i.bit_count() for i in range(256)], np.uint8)
    apart = np.stack([bits[query ^ row].sum(1, np.uint32) for row in table])
    which = apart.argmin(0)
    found = np.stack([which, apart[which, np.arange(len(query))]], 1)
    return {"nearest": found.astype(np.uint32)}
