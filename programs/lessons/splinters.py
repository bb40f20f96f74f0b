"""splinters: lanes hit and miss at random while other warps have enough to do."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 16
STEPS = 8


def make(rng: np.random.Generator, *, n: int, trips: int, words: int) -> Data:
    """A random table for all; `words` is a power of two."""
    return {
        "trips": trips,
        "table": rng.integers(0, 1 << 32, words, np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Exactly one work-item for each element."""
    kernel = launcher("splinters", items=len(data["y"]), group_size=GROUP)
    kernel(data["trips"], len(data["table"]) - 1, data["table"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """All walks side by side."""
    table = data["table"]
    r = np.arange(1, len(data["y"]) + 1, dtype=np.uint32)
    for _ in range(data["trips"]):
        for _ in range(STEPS):
            r = (r ^ r >> np.uint32(15)) * np.uint32(0x2C1B3C6D)
        r ^= table[r % len(table)]
    return {"y": r}


WORKLOAD = Workload(
    title="splinters: splits at every miss, where waiting costs nothing",
    source="DWS-10: AggressSplit and over-subdivision",
    sizes={
        "tiny": {"n": 64, "trips": 10, "words": 1 << 15},
        "small": {"n": 256, "trips": 100, "words": 1 << 15},
        "paper": {"n": 4_096, "trips": 100, "words": 1 << 15},
    },
    make=make,
    launch=launch,
    reference=reference,
)
