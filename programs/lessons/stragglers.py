"""stragglers: lanes that miss by chance, and what it costs the others of their warp."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

HOT, TABLE, STRAY = 2048, 65536, 60
"""Words that most looks are in, words of the table, and looks of 1,024 that are anywhere."""


def make(rng: np.random.Generator, *, n: int, group: int, trips: int) -> Data:
    """A table of random words; work-items find their places by themselves."""
    return {
        "group": group,
        "trips": trips,
        "table": rng.integers(0, 1 << 32, TABLE, np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Exactly one work-item for each element."""
    n = len(data["y"])
    kernel = launcher("stragglers", items=n, group_size=min(data["group"], n))
    kernel(data["trips"], data["table"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """All work-items side by side, a look at a time."""
    r = np.arange(len(data["y"]), dtype=np.uint32) * np.uint32(2654435761)
    total = np.zeros_like(r)
    for _ in range(data["trips"]):
        r = r * np.uint32(1664525) + np.uint32(1013904223)
        last = np.where(r >> 22 < STRAY, TABLE - 1, HOT - 1).astype(np.uint32)
        total += data["table"][r >> 4 & last]
    return {"y": total}


WORKLOAD = Workload(
    title="stragglers: lanes that miss by chance, and what it costs the others",
    source="DWS 4.3, 5; Figure 16",
    sizes={
        "tiny": {"n": 16, "group": 16, "trips": 100},
        "small": {"n": 64, "group": 16, "trips": 2_000},
        "paper": {"n": 64, "group": 16, "trips": 50_000},
        "together": {"n": 64, "group": 64, "trips": 2_000},
    },
    make=make,
    launch=launch,
    reference=reference,
)
