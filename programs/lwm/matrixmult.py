"""matrixmult: a matrix product by way of the data cache, tile after tile."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

WIDTH = 32
"""Of a tile, and of a cache line of 128 bytes."""


def make(rng: np.random.Generator, *, m: int, k: int, n: int) -> Data:
    """Positive numbers, so that sums lose nothing to cancellation; k is at least 1."""
    return {
        "m": m,
        "k": k,
        "n": n,
        "a": rng.random((m, k), np.float32),
        "b": rng.random((k, n), np.float32),
        "c": np.zeros((m, n), np.float32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch of workgroups that fill a core each, 32 work-items wide; they share the tiles."""
    width = min(WIDTH, launcher.core_contexts)
    height = launcher.core_contexts // width
    tiles = -(-data["n"] // width) * -(-data["m"] // height)
    kernel = launcher(
        "matrixmult",
        groups=(min(tiles, max(1, launcher.contexts // (width * height))), 1),
        group_size=(width, height),
    )
    kernel(*(data[name] for name in ("m", "k", "n", "a", "b", "c")))


def reference(data: Data) -> dict[str, np.ndarray]:
    """The product in f64, rounded once."""
    return {"c": (data["a"].astype(np.float64) @ data["b"].astype(np.float64)).astype(np.float32)}


WORKLOAD = Workload(
    title="matrixmult: the product of two matrices",
    source="LWM Table 2; CUDA SDK, matrixMul",
    sizes={
        "tiny": {"m": 7, "k": 6, "n": 35},
        "small": {"m": 96, "k": 80, "n": 96},
        "paper": {"m": 256, "k": 256, "n": 256},
    },
    make=make,
    launch=launch,
    reference=reference,
    rtol=1e-5,  # a sum of k products rounds k times, the reference's once
)
