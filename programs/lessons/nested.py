"""nested: ifs inside ifs, and how many lanes are left in each."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 32
STEPS = 4
"""Steps of the generator at each level."""


def make(rng: np.random.Generator, *, n: int, shift: int) -> Data:
    """Room for `n` results; work-items decide by the bits of their number from `shift` on."""
    return {"shift": shift, "y": np.zeros(n, np.uint32)}


def launch(launcher: Launcher, data: Data) -> None:
    """Exactly one work-item for each element."""
    launcher("nested", items=len(data["y"]), group_size=GROUP)(data["shift"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """A work-item goes in as often as its number has ones at the low end, three times at most."""
    levels = [1]
    for _ in range(3):
        value = levels[-1]
        for _ in range(STEPS):
            value = (value * 1664525 + 1013904223) % (1 << 32)
        levels.append(value)
    low = np.arange(len(data["y"])) >> data["shift"] & 7
    ones = np.array([0, 1, 0, 2, 0, 1, 0, 3])[low]
    return {"y": np.array(levels, np.uint32)[ones]}


WORKLOAD = Workload(
    title="nested: ifs inside ifs, each with half of the lanes",
    source="customary",
    sizes={
        "tiny": {"n": 64, "shift": 0},
        "small": {"n": 4_096, "shift": 0},
        "paper": {"n": 1 << 20, "shift": 0},
        "agree": {"n": 4_096, "shift": 6},
    },
    make=make,
    launch=launch,
    reference=reference,
)
