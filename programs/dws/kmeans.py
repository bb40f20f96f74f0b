"""kmeans: whole iterations of k-means, as map and reduce."""

from __future__ import annotations

import numpy as np

from ..colours import HEAT, shade
from ..mappings import OF_LINES
from ..workload import Data, Launcher, Workload, persistent

BLOCK = 100
"""Points whose sums are taken together; fixed, so that sums round alike on every machine."""


def make(rng: np.random.Generator, *, n: int, dims: int, k: int, iterations: int) -> Data:
    """k clouds of points, which overlap; the first k points are the first centroids."""
    middles = rng.random((k, dims))
    points = np.ones((n, dims + 1), np.float32)
    points[:, :dims] = middles[rng.integers(0, k, n)] + rng.normal(0, 0.2, (n, dims))
    return {
        "n": n,
        "dims": dims,
        "k": k,
        "iterations": iterations,
        "points": points,
        "centroids": points[:k, :dims].copy(),
        "label": np.zeros(n, np.int32),
        "sums": np.zeros((-(-n // BLOCK), k, dims + 1), np.float32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Three launches an iteration: labels, sums of blocks, centroids."""
    n, dims, k = data["n"], data["dims"], data["k"]
    points, centroids, label, sums = (data[v] for v in ("points", "centroids", "label", "sums"))
    blocks, width = len(sums), dims + 1
    nearest = persistent(launcher, "kmeans_nearest", n)
    add_up = persistent(launcher, "kmeans_sums", blocks * width)
    divide = persistent(launcher, "kmeans_centroids", k * dims)
    for _ in range(data["iterations"]):
        nearest(n, dims, k, points, centroids, label)
        add_up(n, width, k, BLOCK, blocks, points, label, sums)
        divide(dims, k, blocks, sums, centroids)


def reference(data: Data) -> dict[str, np.ndarray]:
    """All points at once; squares, and the points of a block, are added up in the kernels' order.

    Points that are as good as half-way between two centroids are decided by a single bit.
    """
    points = data["points"][:, :-1]
    centroids, label = data["centroids"].copy(), data["label"]
    for _ in range(data["iterations"]):
        distance = np.zeros((len(centroids), len(points)), np.float32)
        for coordinate, centre in zip(points.T, centroids.T, strict=True):
            distance += (coordinate - centre[:, None]) ** 2
        label = distance.argmin(axis=0).astype(np.int32)
        for cluster, centroid in enumerate(centroids):
            members = label == cluster
            if not members.any():
                continue
            total = np.zeros_like(centroid)
            for start in range(0, len(points), BLOCK):
                inside = slice(start, start + BLOCK)
                # A running sum rounds once a point; np.sum would add up in pairs.
                own = points[inside][members[inside]]
                total += np.add.accumulate(own)[-1] if len(own) else np.float32(0)
            centroid[:] = total / np.float32(members.sum())
    return {"label": label, "centroids": centroids}


def picture(data: Data) -> np.ndarray:
    """The points by their first two coordinates, in the colour of their cluster, on white."""
    side = 160
    across, up = data["points"][:, 0], data["points"][:, min(1, data["dims"] - 1)]
    canvas = np.full((side, side, 3), 255, np.uint8)
    column, row = (
        ((v - v.min()) / max(float(np.ptp(v)), 1e-9) * (side - 1)).astype(int) for v in (across, up)
    )
    canvas[side - 1 - row, column] = shade(data["label"] / data["k"], HEAT)
    return canvas.repeat(3, axis=0).repeat(3, axis=1)


WORKLOAD = Workload(
    title="kmeans: clustering by map and reduce",
    source="DWS Table 2, KMeans; MineBench",
    sizes={
        "tiny": {"n": 110, "dims": 3, "k": 3, "iterations": 2},
        "small": {"n": 1_000, "dims": 20, "k": 8, "iterations": 3},
        "paper": {"n": 10_000, "dims": 20, "k": 8, "iterations": 10},
    },
    make=make,
    launch=launch,
    reference=reference,
    picture=picture,
    mappings=OF_LINES,
    data="f32",
)
