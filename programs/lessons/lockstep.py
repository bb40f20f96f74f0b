"""lockstep: what happens to code that leaves out barriers within a warp."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 8
"""Work-items of a sum: they are lanes of one warp on every machine."""

WORDS = 1 << 14
"""Of the table: 64 KiB, so that some look-ups hit and some miss."""


def make(rng: np.random.Generator, *, sums: int, hoping: int) -> Data:
    """Look-ups at random places of a random table."""
    return {
        "hoping": hoping,
        "index": rng.integers(0, WORDS, GROUP * sums, np.uint32),
        "table": rng.integers(0, 1 << 32, WORDS, np.uint32),
        "y": np.zeros(sums, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A workgroup for each sum."""
    name = "hoping" if data["hoping"] else "meeting"
    kernel = launcher(name, groups=len(data["y"]), group_size=GROUP)
    kernel(data["index"], data["table"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """Rows of eight, added up."""
    return {"y": data["table"][data["index"]].reshape(-1, GROUP).sum(axis=1, dtype=np.uint32)}


WORKLOAD = Workload(
    title="lockstep: barriers are needed within a warp, too",
    source="M. Harris, Optimizing Parallel Reduction in CUDA (2007): its last warp",
    sizes={
        "tiny": {"sums": 40, "hoping": 0},
        "small": {"sums": 1_000, "hoping": 0},
        "paper": {"sums": 60_000, "hoping": 0},
        "wrong": {"sums": 1_000, "hoping": 1},
    },
    make=make,
    launch=launch,
    reference=reference,
)
