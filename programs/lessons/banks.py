"""banks: lanes that want different words of one bank of group memory take turns."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

COLUMNS = 32
"""Also rows of a tile, work-items of a workgroup, and banks."""


def make(rng: np.random.Generator, *, tiles: int, line: int) -> Data:
    """A matrix of `tiles` times 32 rows; a row of a tile takes `line` words of group memory."""
    rows = tiles * COLUMNS
    return {
        "line": line,
        "x": rng.integers(0, 1 << 32, (rows, COLUMNS), np.uint32),
        "y": np.zeros(rows, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A workgroup for each tile."""
    kernel = launcher("banks", items=len(data["y"]), group_size=COLUMNS)
    kernel(data["line"], data["x"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's sums of rows."""
    return {"y": data["x"].sum(axis=1, dtype=np.uint32)}


WORKLOAD = Workload(
    title="banks: bank conflicts in group memory, and a word of padding against them",
    source="customary; G. Ruetsch, P. Micikevicius, Optimizing Matrix Transpose in CUDA (2009)",
    sizes={
        "tiny": {"tiles": 3, "line": 33},
        "small": {"tiles": 100, "line": 33},
        "paper": {"tiles": 10_000, "line": 33},
        "conflicts": {"tiles": 100, "line": 32},
    },
    make=make,
    launch=launch,
    reference=reference,
    benign={"$s5": "the sum begins with the 0 that every register holds at the start"},
)
