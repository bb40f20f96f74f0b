"""Frequent pattern compression of cache lines: each word's pattern, and the line's size."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"lines": 5003}
SMALL = {"lines": 67}


def make(rng, lines):
    kind, wide = rng.integers(0, 8, (lines, 16)), rng.integers(0, 1 << 32, (lines, 16), np.uint32)
    small = wide >> np.uint32(24)
    choices = [
        wide * 0,
        wide & 7,
        ~(wide & 127),
        wide & 0x7FFF,
        wide << np.uint32(16),
        wide & 0x7F007F,
        small * 0x01010101,
        wide,
    ]
    arrays = {
        "data": np.choose(kind, choices).astype(np.uint32),
        "prefix": np.zeros((lines, 16), np.uint8),
        "size": np.zeros(lines, np.uint16),
    }
    return Problem(
        arrays, [Launch("fpc", (np.uint32(lines), *arrays), (lines,))], ("prefix", "size")
    )


def answer(problem):
    data = problem.arrays["data"]
    s = data.view(np.int32).astype(np.int64)
    low, high = data.view(np.int16).reshape(*data.shape, 2).transpose(2, 0, 1).astype(np.int64)

    def within(v, bits):
        return (v >= -(1 << bits - 1)) & (v < 1 << bits - 1)

    patterns = [
        data == 0,
        within(s, 4),
        within(s, 8),
        within(s, 16),
        low == 0,
        within(low, 8) & within(high, 8),
        data == (data & 255) * np.uint32(0x01010101),
    ]
    prefix = np.select(patterns, range(7), 7)
    bits = np.array([3, 4, 8, 16, 16, 16, 8, 32])[prefix] + 3
    return {"prefix": prefix.astype(np.uint8), "size": ((bits.sum(1) + 7) // 8).astype(np.uint16)}
