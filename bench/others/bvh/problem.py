"""Rays through a tree of boxes with a private stack: where each first meets a box of a leaf."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "depth": 12}
SMALL = {"n": 70, "depth": 4}


def make(rng, n, depth):
    """Leaves are small boxes that follow each other along a curve; a node has those below it."""
    leaves = 1 << depth
    bits = np.arange(leaves)
    middle = np.stack([sum((bits >> 3 * k + d & 1) << k for k in range(4)) for d in range(3)], 1)
    middle = (middle + rng.random((leaves, 3))) / (np.asarray([2, 2, 2]) ** (depth / 3))
    half = rng.random((leaves, 3)) * 0.02
    low, high = [middle - half], [middle + half]
    while len(low[0]) > 1:
        low.insert(0, low[0].reshape(-1, 2, 3).min(1))
        high.insert(0, high[0].reshape(-1, 2, 3).max(1))
    box = np.concatenate([np.concatenate(low), np.concatenate(high)], 1)
    towards = rng.random((3, n)) - 0.5
    arrays = {
        "box": box.astype(np.float32),
        "origin": (0.5 - 2 * towards + 0.2 * rng.random((3, n))).astype(np.float32),
        "inverse": (1 / towards).astype(np.float32),
        "distance": np.zeros(n, np.float32),
    }
    launch = Launch("bvh", (np.uint32(n), np.uint32(leaves - 1), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("distance",))


def answer(problem):
    """All leaves are tried, some rays at a time."""
    a = problem.arrays
    leaves = a["box"][-(1 << problem.sizes.depth) :]
    distance = np.zeros(problem.sizes.n, np.float32)
    for first in range(0, problem.sizes.n, 256):
        part = slice(first, first + 256)
        near = np.zeros((1, 1), np.float32)
        far = np.full((1, 1), np.inf, np.float32)
        for d in range(3):
            one = (leaves[:, d] - a["origin"][d, part, None]) * a["inverse"][d, part, None]
            two = (leaves[:, d + 3] - a["origin"][d, part, None]) * a["inverse"][d, part, None]
            near = np.maximum(near, np.minimum(one, two))
            far = np.minimum(far, np.maximum(one, two))
        distance[part] = np.where(near <= far, near, np.float32(100)).min(1)
    return {"distance": distance}
