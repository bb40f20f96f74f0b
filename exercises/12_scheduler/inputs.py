"""Rows of different lengths: the last warps have most of the work."""

from __future__ import annotations

import numpy as np

WARPS = 32
WIDTH = 32


def make(rng: np.random.Generator, *, short: int, long: int) -> dict[str, object]:
    """30 short rows and two long ones."""
    length = np.full(WARPS, short, np.uint32)
    length[-2:] = long
    return {
        "workitems": WARPS * WIDTH,
        "length": length,
        "x": rng.integers(0, 1 << 32, WIDTH, np.uint32),
        "y": np.zeros(WARPS * WIDTH, np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """All rows step by step."""
    y = np.zeros((WARPS, WIDTH), np.uint32)
    for step in range(int(data["length"].max())):
        runs = data["length"] > step
        y[runs] = y[runs] * np.uint32(31) + data["x"]
    return {"y": y.ravel()}
