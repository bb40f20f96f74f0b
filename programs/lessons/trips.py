"""trips: lanes leave a loop after different numbers of iterations."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 32


def make(rng: np.random.Generator, *, n: int, most: int, ascending: int) -> Data:
    """From 1 to `most` iterations for each work-item, at random or in ascending order."""
    trips = rng.integers(1, most + 1, n, np.uint32)
    return {"trips": np.sort(trips) if ascending else trips, "y": np.zeros(n, np.uint32)}


def launch(launcher: Launcher, data: Data) -> None:
    """Exactly one work-item for each element."""
    launcher("trips", items=len(data["y"]), group_size=GROUP)(data["trips"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """The sum of square numbers in closed form."""
    k = data["trips"].astype(np.int64)
    return {"y": (k * (k + 1) * (2 * k + 1) // 6).astype(np.uint32)}


WORKLOAD = Workload(
    title="trips: a warp runs a loop as often as the lane with the most iterations",
    source="customary",
    sizes={
        "tiny": {"n": 64, "most": 60, "ascending": 0},
        "small": {"n": 4_096, "most": 60, "ascending": 0},
        "paper": {"n": 1 << 20, "most": 60, "ascending": 0},
        "sorted": {"n": 4_096, "most": 60, "ascending": 1},
    },
    make=make,
    launch=launch,
    reference=reference,
)
