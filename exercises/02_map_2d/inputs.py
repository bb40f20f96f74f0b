"""A matrix that its workgroups do not fit."""

from __future__ import annotations

import numpy as np


def make(rng: np.random.Generator, *, width: int, height: int) -> dict[str, object]:
    """Numbers below 1000."""
    return {
        "width": width,
        "height": height,
        "x": rng.integers(0, 1000, (height, width), np.uint32),
        "y": np.zeros((height, width), np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Each element plus ten times its row plus its column."""
    height, width = data["x"].shape
    rows, columns = np.arange(height)[:, None], np.arange(width)
    return {"y": data["x"] + (10 * rows + columns).astype(np.uint32)}
