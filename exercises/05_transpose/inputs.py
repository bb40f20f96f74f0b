"""A matrix and room for its transpose."""

from __future__ import annotations

import numpy as np


def make(rng: np.random.Generator, *, width: int, height: int) -> dict[str, object]:
    """Numbers of all 32 bits."""
    return {
        "width": width,
        "height": height,
        "x": rng.integers(0, 1 << 32, (height, width), np.uint32),
        "y": np.zeros((width, height), np.uint32),
        "tiles": (-(-width // 32) * 32, -(-height // 32) * 8),
    }


def launch(launcher, data) -> None:
    """A workgroup of 32 x 8 work-items for each tile of 32 x 32 elements."""
    kernel = launcher("transpose", items=data["tiles"], group_size=(32, 8))
    kernel(data["width"], data["height"], data["x"], data["y"])


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """NumPy's transpose."""
    return {"y": np.ascontiguousarray(data["x"].T)}


def explain(data: dict[str, np.ndarray], array: str, index: tuple[int, ...]) -> str:
    """The element of x that belongs there."""
    row, column = index
    return f"x[{column}, {row}] = {data['x'][column, row]}"
