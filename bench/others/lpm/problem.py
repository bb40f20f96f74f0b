"""Routes of IPv4 addresses: the longest prefix in a trie of bytes, an address a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 50021, "nodes": 300}
SMALL = {"n": 95, "nodes": 12}


def make(rng, n, nodes):
    """Node k's entries are routes, or children with greater numbers; depth 3 has none."""
    trie = rng.integers(1, 1000, (nodes, 256), np.uint32)
    depth = [0]
    for child in range(1, nodes):
        parent = rng.integers(0, min(child, nodes // 2 + 1))
        while depth[parent] == 3:
            parent = rng.integers(0, child)
        for place in rng.integers(0, 256, 3 if parent else 200 * 4 // nodes + 1):
            trie[parent, place] = 0x80000000 | child
        depth.append(depth[parent] + 1)
    arrays = {
        "trie": trie,
        "address": rng.integers(0, 1 << 32, n, np.uint32),
        "route": np.zeros(n, np.uint16),
    }
    return Problem(arrays, [Launch("lpm", (np.uint32(n), *arrays), (n,))], ("route",))


def answer(problem):
    trie, address, _ = problem.arrays.values()
    entry = np.full(len(address), 0x80000000, np.uint32)
    for level in range(4):
        byte = address >> np.uint32(24 - 8 * level) & 255
        below = entry >= 0x80000000
        entry = np.where(below, trie[np.where(below, entry & 0x7FFFFFFF, 0), byte], entry)
    return {"route": entry.astype(np.uint16)}
