"""transpose: a tile in group memory so that loads and stores both run along rows."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

TILE = 16


def make(rng: np.random.Generator, *, width: int, height: int) -> Data:
    """A matrix of all 32 bits."""
    return {
        "width": width,
        "height": height,
        "x": rng.integers(0, 1 << 32, (height, width), np.uint32),
        "y": np.zeros((width, height), np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a workgroup a tile of x."""
    width, height = data["width"], data["height"]
    groups = (-(-width // TILE), -(-height // TILE))
    kernel = launcher("transpose", groups=groups, group_size=(TILE, TILE))
    kernel(width, height, data["x"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's transpose."""
    return {"y": np.ascontiguousarray(data["x"].T)}


WORKLOAD = Workload(
    title="transpose: rows in, rows out, through a padded tile",
    source="G. Ruetsch, P. Micikevicius, Optimizing Matrix Transpose in CUDA (2009)",
    sizes={
        "tiny": {"width": 20, "height": 27},
        "small": {"width": 700, "height": 500},
        "paper": {"width": 2048, "height": 2048},
    },
    make=make,
    launch=launch,
    reference=reference,
)
