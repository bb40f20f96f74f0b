"""Bytes, and a counter for each of their values."""

from __future__ import annotations

import numpy as np

BINS = 256
EACH = 16


def make(rng: np.random.Generator, *, n: int) -> dict[str, object]:
    """Bytes around 100, as in a photograph: lanes of a warp often want the same counter."""
    return {
        "n": n,
        "workitems": -(-n // EACH),
        "x": np.clip(rng.normal(100.0, 30.0, n), 0, 255).astype(np.uint8),
        "bins": np.zeros(BINS, np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """NumPy's counts."""
    return {"bins": np.bincount(data["x"], minlength=BINS).astype(np.uint32)}


def explain(data: dict[str, np.ndarray], array: str, index: tuple[int, ...]) -> str:
    """The value that is counted."""
    (v,) = index
    places = np.flatnonzero(data["x"] == v)
    first = f"; the first is x[{places[0]}]" if places.size else ""
    return f"byte {v} occurs {places.size} times in x{first}"
