"""A vector of which each work-item does 32 elements."""

from __future__ import annotations

import numpy as np

EACH = 32


def make(rng: np.random.Generator, *, n: int) -> dict[str, object]:
    """Numbers of all 32 bits, and as many work-items as n elements need."""
    return {
        "n": n,
        "workitems": -(-n // EACH),
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Element by element."""
    return {"y": data["x"] * np.uint32(3) + np.uint32(1)}
