"""kmeans: Lloyd's iteration; the kernel labels the points, the host moves the centroids."""

from __future__ import annotations

import numpy as np

from ..rounding import fma32
from ..workload import Data, Launcher, Workload, persistent


def make(rng: np.random.Generator, *, n: int, dims: int, k: int, iterations: int) -> Data:
    """Points in clouds around k places, with coordinates of eight bits as of a measurement.

    The first k points are the first centroids. Sums of such coordinates are exact in f64, so that
    centroids do not depend on the order of additions.
    """
    places = rng.uniform(40, 215, (k, dims))
    clouds = places[rng.integers(0, k, n)] + rng.normal(0, 30, (n, dims))
    feat = np.ascontiguousarray(np.clip(np.rint(clouds), 0, 255).T.astype(np.float32))
    return {
        "n": n,
        "dims": dims,
        "k": k,
        "iterations": iterations,
        "feat": feat,
        "cent": np.ascontiguousarray(feat[:, :k].T),
        "label": np.full(n, -1, np.int32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A launch an iteration; between them the host computes the means, as Rodinia's does."""
    n, dims, k = data["n"], data["dims"], data["k"]
    feat, cent, label = data["feat"], data["cent"], data["label"]
    kernel = persistent(launcher, "kmeans", n)
    for _ in range(data["iterations"]):
        kernel(n, dims, k, feat, cent, label)
        members = np.bincount(label, minlength=k)
        for j in range(dims):
            sums = np.bincount(label, weights=feat[j], minlength=k)
            cent[:, j] = np.where(members, sums / np.maximum(members, 1), cent[:, j])


def reference(data: Data) -> dict[str, np.ndarray]:
    """All distances to their end, the squares added up in the kernel's order; then the means."""
    feat, cent = data["feat"], data["cent"].copy()
    label = data["label"]
    for _ in range(data["iterations"]):
        distance = np.zeros((data["k"], data["n"]), np.float32)
        for total, centroid in zip(distance, cent, strict=True):
            for coordinate, centre in zip(feat, centroid, strict=True):
                apart = coordinate - centre
                total[:] = fma32(apart, apart, total)
        label = distance.argmin(axis=0).astype(np.int32)
        for c in np.unique(label):
            cent[c] = feat[:, label == c].mean(axis=1, dtype=np.float64)
    return {"label": label, "cent": cent}


WORKLOAD = Workload(
    title="kmeans: clusters of points, with partial distance search",
    source="LWM Table 2; MineBench and Rodinia, kmeans; "
    "C.-D. Bei and R. M. Gray, An Improvement of the Minimum Distortion Encoding Algorithm (1985)",
    sizes={
        "tiny": {"n": 50, "dims": 6, "k": 4, "iterations": 2},
        "small": {"n": 4_096, "dims": 16, "k": 16, "iterations": 2},
        "paper": {"n": 32_768, "dims": 24, "k": 16, "iterations": 2},
    },
    make=make,
    launch=launch,
    reference=reference,
)
