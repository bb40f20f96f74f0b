"""reduction: the sum of a large vector, a load for every addition."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload, persistent


def make(rng: np.random.Generator, *, n: int) -> Data:
    """Random integers of 32 bits."""
    return {
        "n": n,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "total": np.zeros(1, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the work-items share the elements among them."""
    persistent(launcher, "reduction", data["n"])(data["n"], data["x"], data["total"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """The sum in 64 bits, of which the lower half is kept."""
    return {"total": np.array([data["x"].sum(dtype=np.uint64)]).astype(np.uint32)}


WORKLOAD = Workload(
    title="reduction: the sum of a large vector of integers",
    source="LWM Table 2; M. Harris, Optimizing Parallel Reduction in CUDA (2007)",
    sizes={"tiny": {"n": 400}, "small": {"n": 2_000_000}, "paper": {"n": 32_000_000}},
    make=make,
    launch=launch,
    reference=reference,
)
