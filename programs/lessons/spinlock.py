"""spinlock: lanes of a warp that wait for each other."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 8
"""Work-items of a lock: they are lanes of one warp on every machine."""


def make(rng: np.random.Generator, *, locks: int, naive: int) -> Data:
    """Free locks, and counters that they guard."""
    return {
        "naive": naive,
        "lock": np.zeros(locks, np.uint32),
        "count": np.zeros(locks, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A workgroup for each lock."""
    name = "naive" if data["naive"] else "patient"
    kernel = launcher(name, groups=len(data["lock"]), group_size=GROUP)
    kernel(data["lock"], data["count"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """Return whether every work-item has counted once."""
    return {"count": data["count"] + np.uint32(GROUP)}


WORKLOAD = Workload(
    title="spinlock: a lock that lanes of a warp spin for",
    source="A. ElTantawy, T. M. Aamodt, MIMD Synchronization on SIMT Architectures (2016)",
    sizes={
        "tiny": {"locks": 4, "naive": 0},
        "small": {"locks": 256, "naive": 0},
        "paper": {"locks": 4_096, "naive": 0},
        "wrong": {"locks": 1, "naive": 1},
    },
    make=make,
    launch=launch,
    reference=reference,
)
