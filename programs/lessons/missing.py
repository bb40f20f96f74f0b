"""missing: at each load half of the lanes hit in the cache and half of them miss."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 16
STEP = 16
"""Words from one iteration to the next: half a cache line of the machine dws."""


def make(rng: np.random.Generator, *, n: int, trips: int) -> Data:
    """A row for each work-item, long enough for `trips`, of an odd number of half lines and one."""
    return {
        "trips": trips,
        "x": rng.integers(0, 1 << 32, (n, STEP * (trips | 1) + 1), np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Exactly one work-item a row."""
    n, line = data["x"].shape
    kernel = launcher("missing", items=n, group_size=min(GROUP, n))
    kernel(data["trips"], line, data["x"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's sums of a slice."""
    return {"y": data["x"][:, :-1:STEP][:, : data["trips"]].sum(axis=1, dtype=np.uint32)}


WORKLOAD = Workload(
    title="missing: some lanes of a load hit and some miss, by turns",
    source="DWS Figure 8",
    sizes={
        "tiny": {"n": 16, "trips": 20},
        "small": {"n": 16, "trips": 200},
        "paper": {"n": 1_024, "trips": 200},
    },
    make=make,
    launch=launch,
    reference=reference,
)
