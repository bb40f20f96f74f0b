"""saxpy: the first kernel of every GPU course."""

from __future__ import annotations

import numpy as np

from ..rounding import fma32
from ..workload import Data, Launcher, Workload

GROUP = 256


def make(rng: np.random.Generator, *, n: int) -> Data:
    """Two vectors of numbers from 0 to 1."""
    return {
        "a": 0.75,
        "n": n,
        "x": rng.random(n, np.float32),
        "y": rng.random(n, np.float32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, rounded up to whole workgroups."""
    n = data["n"]
    group = min(GROUP, launcher.core_contexts)
    kernel = launcher("saxpy", groups=-(-n // group), group_size=group)
    kernel(data["a"], n, data["x"], data["y"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """The same on whole arrays."""
    return {"y": fma32(data["a"], data["x"], data["y"])}


WORKLOAD = Workload(
    title="saxpy: a vector times a number plus a vector",
    source="BLAS level 1; NVIDIA's introductory CUDA example",
    sizes={"tiny": {"n": 2_500}, "small": {"n": 1 << 20}, "paper": {"n": 1 << 24}},
    make=make,
    launch=launch,
    reference=reference,
)
