"""rows: memory answers sooner where a row is open."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 32
LINE = 32
"""Words that 32 neighbours load at once: a cache line of the machine lwm."""


def make(rng: np.random.Generator, *, n: int, trips: int, across: int) -> Data:
    """One line for each iteration of each 32 work-items."""
    return {
        "trips": trips,
        "across": across,
        "x": rng.integers(0, 1 << 32, n * trips, np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Launch one work-item for each sum; `across` exchanges the strides of warps and iterations."""
    n, trips = len(data["y"]), data["trips"]
    warp, trip = (LINE * trips, LINE) if data["across"] else (LINE, n)
    launcher("rows", items=n, group_size=GROUP)(trips, warp, trip, data["x"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """Lines as an array of iterations and warps, or of warps and iterations."""
    across, trips = data["across"], data["trips"]
    lines = data["x"].reshape((-1, trips, LINE) if across else (trips, -1, LINE))
    return {"y": lines.sum(axis=1 if across else 0, dtype=np.uint32).ravel()}


WORKLOAD = Workload(
    title="rows: along the rows of the memory's banks, and across them",
    source="LWM 3.2; S. Rixner et al., Memory Access Scheduling (2000)",
    sizes={
        "tiny": {"n": 256, "trips": 28, "across": 0},
        "small": {"n": 1_024, "trips": 33, "across": 0},
        "paper": {"n": 1_024, "trips": 1_025, "across": 0},
        "across": {"n": 1_024, "trips": 33, "across": 1},
    },
    make=make,
    launch=launch,
    reference=reference,
)
