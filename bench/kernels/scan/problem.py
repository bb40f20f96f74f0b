"""Prefix sums by blocks in group memory, then blocks of the blocks' sums: a barrier a doubling."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 20}
SMALL = {"n": 1000}
GROUP = 256


def make(rng, n):
    """Inclusive: y[i] = x[0] + ... + x[i], modulo 2^32."""
    arrays = {"x": rng.integers(0, 1 << 32, n, np.uint32), "y": np.zeros(n, np.uint32)}
    launches, backwards, source, target = [], [], "x", "y"
    while True:
        groups = -(-n // GROUP)
        sums = f"sums{groups}"
        arrays[sums] = np.zeros(groups, np.uint32)
        size = np.uint32(n)
        launches.append(Launch("scan_blocks", (size, source, target, sums), (n,), (GROUP,)))
        if groups == 1:
            return Problem(arrays, launches + backwards, ("y",))
        scanned = f"scanned{groups}"
        arrays[scanned] = np.zeros(groups, np.uint32)
        backwards.insert(0, Launch("add_sums", (size, scanned, target), (n,), (GROUP,)))
        n, source, target = groups, sums, scanned


def answer(problem):
    return {"y": problem.arrays["x"].cumsum(dtype=np.uint32)}
