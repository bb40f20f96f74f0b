"""The longest prefixes of addresses in a binary trie of routes, an address a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "routes": 4000}
SMALL = {"n": 100, "routes": 50}


def make(rng, n, routes):
    child, hop = [[0, 0]], [0]
    address = rng.integers(0, 1 << 32, routes, np.uint32)
    lengths = rng.integers(4, 25, routes)
    for number, (prefix, length) in enumerate(zip(address.tolist(), lengths.tolist(), strict=True)):
        node = 0
        for bit in range(31, 31 - length, -1):
            side = prefix >> bit & 1
            if child[node][side] == 0:
                child[node][side] = len(child)
                child.append([0, 0])
                hop.append(0)
            node = child[node][side]
        hop[node] = number + 1
    near = address[rng.integers(0, routes, n)] ^ rng.integers(0, 1 << 14, n, np.uint32)
    arrays = {
        "child": np.array(child, np.uint32),
        "hop": np.array(hop, np.uint32),
        "address": np.where(
            rng.integers(0, 4, n) > 0, near, rng.integers(0, 1 << 32, n, np.uint32)
        ),
        "chosen": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("routes", (np.uint32(n), *arrays), (n,), (64,))], ("chosen",))


def answer(problem):
    a = problem.arrays
    chosen, items = np.zeros_like(a["chosen"]), np.arange(a["address"].size)
    node = np.zeros(items.size, np.uint32)
    for bit in range(31, -1, -1):
        node = a["child"][node, a["address"][items] >> np.uint32(bit) & 1]
        items, node = items[node != 0], node[node != 0]
        hop = a["hop"][node]
        chosen[items] = np.where(hop != 0, hop, chosen[items])
    return {"chosen": chosen}
