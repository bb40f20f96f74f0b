"""A vector, and room for the sum of each 32 of its elements."""

from __future__ import annotations

import numpy as np

WARP = 32


def make(rng: np.random.Generator, *, n: int) -> dict[str, object]:
    """Numbers of all 32 bits; work-items are started in whole warps."""
    warps = -(-n // WARP)
    return {
        "n": n,
        "workitems": warps * WARP,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "sums": np.zeros(warps, np.uint32),
    }


def launch(launcher, data) -> None:
    """Workgroups of four warps; the last one may be smaller."""
    kernel = launcher("warpsum", items=data["workitems"], group_size=128)
    kernel(data["n"], data["x"], data["sums"])


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The sum of each block; the last one may be shorter."""
    starts = np.arange(0, data["x"].size, WARP)
    return {"sums": np.add.reduceat(data["x"], starts, dtype=np.uint32)}


def explain(data: dict[str, np.ndarray], array: str, index: tuple[int, ...]) -> str:
    """The block that is added up."""
    (w,) = index
    last = min(data["x"].size, (w + 1) * WARP) - 1
    return f"it is the sum of x[{w * WARP}] to x[{last}] modulo 2^32"
