"""Shortest ways in a graph of 64 nodes by a heap in private memory, a query a work-item."""

import heapq

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 11}
SMALL = {"n": 40}
NODES, EDGES = 64, 3


def make(rng, n):
    ends = rng.integers(0, NODES, (NODES, EDGES))
    ends[:, 0] = (np.arange(NODES) + 1) % NODES
    arrays = {
        "ends": ends.astype(np.uint32),
        "cost": rng.integers(1, 50, (NODES, EDGES), np.uint32),
        "toll": rng.integers(0, 1 << 32, n, np.uint32),
        "start": rng.integers(0, NODES, n, np.uint32),
        "goal": rng.integers(0, NODES, n, np.uint32),
        "way": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("dijkstra", (np.uint32(n), *arrays), (n,), (64,))], ("way",))


def answer(problem):
    a = problem.arrays
    ends, cost = a["ends"].tolist(), a["cost"].tolist()
    queries = (a[name].tolist() for name in ("toll", "start", "goal"))
    ways = [_way(ends, cost, *query) for query in zip(*queries, strict=True)]
    return {"way": np.array(ways, np.uint32)}


def _way(ends, cost, toll, start, goal):
    known, heap = {start: 0}, [(0, start)]
    while True:
        far, node = heapq.heappop(heap)
        if node == goal:
            return far
        if far > known[node]:
            continue
        price = (toll >> (node & 31) & 1) * 20
        for end, step in zip(ends[node], cost[node], strict=True):
            if far + step + price < known.get(end, 0xFFFF):
                known[end] = far + step + price
                heapq.heappush(heap, (known[end], end))
