"""kmeans: the assignment step of k-means, uniform loops full of arithmetic."""

from __future__ import annotations

import numpy as np

from ..rounding import fma32
from ..workload import Data, Launcher, Workload

GROUP = 256


def make(rng: np.random.Generator, *, n: int, dims: int, k: int) -> Data:
    """Points and centroids anywhere in the unit cube; the points a coordinate at a time."""
    return {
        "n": n,
        "dims": dims,
        "k": k,
        "feat": rng.random((dims, n), np.float32),
        "cent": rng.random((k, dims), np.float32),
        "label": np.zeros(n, np.int32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a point."""
    names = ("n", "dims", "k", "feat", "cent", "label")
    group = min(GROUP, launcher.core_contexts)
    kernel = launcher("kmeans", groups=-(-data["n"] // group), group_size=group)
    kernel(*(data[name] for name in names))


def reference(data: Data) -> dict[str, np.ndarray]:
    """All points at once, the squares added up in the kernel's order and rounded as it does.

    Points that are as good as half-way between two centroids are decided by a single bit.
    """
    distance = np.zeros((data["k"], data["n"]), np.float32)
    for total, centroid in zip(distance, data["cent"], strict=True):
        for coordinate, centre in zip(data["feat"], centroid, strict=True):
            apart = coordinate - centre
            total[:] = fma32(apart, apart, total)
    return {"label": distance.argmin(axis=0).astype(np.int32)}


WORKLOAD = Workload(
    title="kmeans: every point finds the nearest centroid",
    source="Rodinia's kmeans; S. P. Lloyd, Least Squares Quantization in PCM (1982)",
    sizes={
        "tiny": {"n": 90, "dims": 6, "k": 5},
        "small": {"n": 10_000, "dims": 20, "k": 16},
        "paper": {"n": 100_000, "dims": 20, "k": 16},
    },
    make=make,
    launch=launch,
    reference=reference,
)
