"""A vector, and room for the sum of each 128 of its elements."""

from __future__ import annotations

import numpy as np

GROUP = 128


def make(rng: np.random.Generator, *, n: int) -> dict[str, object]:
    """Numbers of all 32 bits: sums are modulo 2^32, so that their order does not matter."""
    return {
        "n": n,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "sums": np.zeros(-(-n // GROUP), np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The sum of each block; the last one may be shorter."""
    starts = np.arange(0, data["x"].size, GROUP)
    return {"sums": np.add.reduceat(data["x"], starts, dtype=np.uint32)}


def explain(data: dict[str, np.ndarray], array: str, index: tuple[int, ...]) -> str:
    """The block that is added up."""
    (g,) = index
    block = data["x"][g * GROUP : (g + 1) * GROUP]
    first = ", ".join(str(v) for v in block[:4].tolist())
    more = ", ..." if block.size > 4 else ""
    return f"it is the sum of the {block.size} numbers {first}{more} modulo 2^32"
