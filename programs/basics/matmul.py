"""matmul: tiles in group memory, with edges that no tile divides."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

TILE = 16


def make(rng: np.random.Generator, *, m: int, k: int, n: int) -> Data:
    """Two matrices of numbers from 0 to 1."""
    return {
        "m": m,
        "k": k,
        "n": n,
        "a": rng.random((m, k), np.float32),
        "b": rng.random((k, n), np.float32),
        "c": np.zeros((m, n), np.float32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a workgroup a tile of C."""
    m, k, n = data["m"], data["k"], data["n"]
    kernel = launcher("matmul", groups=(-(-n // TILE), -(-m // TILE)), group_size=(TILE, TILE))
    kernel(m, k, n, data["a"], data["b"], data["c"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """The product in f64, rounded at the end."""
    product = data["a"].astype(np.float64) @ data["b"].astype(np.float64)
    return {"c": product.astype(np.float32)}


WORKLOAD = Workload(
    title="matmul: matrix product with 16 x 16 tiles in group memory",
    source="NVIDIA CUDA C Programming Guide, shared memory",
    sizes={
        "tiny": {"m": 11, "k": 20, "n": 13},
        "small": {"m": 150, "k": 130, "n": 140},
        "paper": {"m": 512, "k": 512, "n": 512},
    },
    make=make,
    launch=launch,
    reference=reference,
    # The kernel rounds its sum k times by at most 2^-24 each (all terms are positive), the
    # reference once: 2^-14 holds for every k up to 1023.
    rtol=2.0**-14,
)
