"""runahead: lanes that do not wait request early the data that all need next."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 16
STEPS = 2
LINE = 32
"""Words of a cache line of the machine dws."""


def make(rng: np.random.Generator, *, n: int, trips: int) -> Data:
    """Both arrays have a line for each iteration; `near` is a single number."""
    return {
        "trips": trips,
        "near": rng.integers(0, 1 << 32, 1, np.uint32),
        "far": rng.integers(0, 1 << 32, (trips, LINE), np.uint32),
        "row": rng.integers(0, 1 << 32, (trips, LINE), np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Exactly one work-item for each element."""
    n = len(data["y"])
    kernel = launcher("runahead", items=n, group_size=min(GROUP, n))
    kernel(*(data[name] for name in ("trips", "near", "far", "row", "y")))


def reference(data: Data) -> dict[str, np.ndarray]:
    """A matrix of work-items and iterations, summed over the iterations."""
    i = np.arange(len(data["y"]))
    w = np.where(i[:, None] % 2, data["far"][:, 0], data["near"])
    for _ in range(STEPS):
        w = (w ^ w >> np.uint32(15)) * np.uint32(0x2C1B3C6D)
    return {"y": (w * data["row"][:, i % LINE].T).sum(axis=1, dtype=np.uint32)}


WORKLOAD = Workload(
    title="runahead: lanes that do not wait request early the data that all need next",
    source="DWS Figure 9",
    sizes={
        "tiny": {"n": 16, "trips": 20},
        "small": {"n": 16, "trips": 200},
        "paper": {"n": 16, "trips": 4_000},
    },
    make=make,
    launch=launch,
    reference=reference,
)
