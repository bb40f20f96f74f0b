"""Two vectors whose length is not a multiple of the workgroup."""

from __future__ import annotations

import numpy as np


def make(rng: np.random.Generator, *, n: int) -> dict[str, object]:
    """Numbers of all 32 bits: a sum may wrap around."""
    return {
        "n": n,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "y": rng.integers(0, 1 << 32, n, np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The sums, modulo 2^32."""
    return {"y": data["x"] + data["y"]}


def explain(data: dict[str, np.ndarray], array: str, index: tuple[int, ...]) -> str:
    """The two numbers that are added."""
    (i,) = index
    return f"x[{i}] = {data['x'][i]}, y[{i}] was {data['y'][i]}"
