"""A vector, and room for the sums up to each of its elements."""

from __future__ import annotations

import numpy as np

GROUP = 128


def make(rng: np.random.Generator, *, n: int) -> dict[str, object]:
    """Numbers of all 32 bits."""
    return {
        "n": n,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Running sums that start again with each block."""
    blocks = range(0, data["x"].size, GROUP)
    sums = [np.cumsum(data["x"][i : i + GROUP], dtype=np.uint32) for i in blocks]
    return {"y": np.concatenate(sums)}


def explain(data: dict[str, np.ndarray], array: str, index: tuple[int, ...]) -> str:
    """The elements that are added up."""
    (i,) = index
    first = i // GROUP * GROUP
    return f"it is the sum of x[{first}] to x[{i}] modulo 2^32; x[{i}] = {data['x'][i]}"
