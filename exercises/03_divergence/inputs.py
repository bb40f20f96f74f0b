"""Elements that are put through one of two loops, by turns."""

from __future__ import annotations

import numpy as np

STEPS = 16


def make(rng: np.random.Generator, *, n: int) -> dict[str, object]:
    """Numbers of all 32 bits."""
    return {
        "n": n,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """All steps on all elements of a kind at once."""
    y = data["x"].copy()
    for _ in range(STEPS):
        y[0::2] = y[0::2] * np.uint32(5) + np.uint32(1)
        y[1::2] = y[1::2] * np.uint32(3) + np.uint32(7)
    return {"y": y}
