"""barrier: where to put it if some work-items have nothing to do."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 32


def make(rng: np.random.Generator, *, n: int, inside: int) -> Data:
    """Numbers from 1 on, so that a 0 is a word that was never written."""
    return {
        "n": n,
        "inside": inside,
        "x": rng.integers(1, 1 << 32, n, np.uint32),
        "y": np.zeros(n, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Whole workgroups, the last of which may have less to do."""
    name = "inside" if data["inside"] else "guarded"
    kernel = launcher(name, groups=-(-data["n"] // GROUP), group_size=GROUP)
    kernel(data["n"], data["x"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """Rows of 32, filled up with zeros, backwards."""
    n = data["n"]
    rows = np.pad(data["x"], (0, -n % GROUP)).reshape(-1, GROUP)
    return {"y": rows[:, ::-1].ravel()[:n].copy()}


WORKLOAD = Workload(
    title="barrier: all work-items reach it, also those that have nothing to do",
    source="customary",
    sizes={
        "tiny": {"n": 100, "inside": 0},
        "small": {"n": 5_000, "inside": 0},
        "paper": {"n": 1_000_000, "inside": 0},
        "wrong": {"n": 20, "inside": 1},
    },
    make=make,
    launch=launch,
    reference=reference,
    benign={"part": "a word without a number stays 0, as group memory begins"},
)
