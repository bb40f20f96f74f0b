"""lu: dense LU decomposition, phases down a column and along rows in turn."""

from __future__ import annotations

import numpy as np

from ..mappings import OF_GRIDS
from ..workload import Data, Launcher, Workload, persistent


def make(rng: np.random.Generator, *, n: int) -> Data:
    """A matrix whose diagonal dominates, so that no pivot is ever small."""
    return {"n": n, "a": rng.uniform(-1, 1, (n, n)) + n * np.eye(n)}


def launch(launcher: Launcher, data: Data) -> None:
    """Two launches a step: the column below the pivot, then all that lies right of it."""
    n, a = data["n"], data["a"]
    for k in range(n - 1):
        left = n - 1 - k
        persistent(launcher, "lu_column", left)(n, k, a)
        persistent(launcher, "lu_update", left * left, left)(n, k, a)


def reference(data: Data) -> dict[str, np.ndarray]:
    """Row after row to its end, against all rows above it: the same operations on each number.

    The kernels take a step for all rows first.
    """
    a = data["a"].copy()
    for i, row in enumerate(a):
        for k in range(i):
            row[k] /= a[k, k]
            row[k + 1 :] -= row[k] * a[k, k + 1 :]
    return {"a": a}


WORKLOAD = Workload(
    title="lu: dense LU decomposition without pivoting",
    source="DWS Table 2, LU; Splash-2",
    sizes={"tiny": {"n": 14}, "small": {"n": 80}, "paper": {"n": 300}},
    make=make,
    launch=launch,
    reference=reference,
    mappings=OF_GRIDS,
    data="f64",
)
