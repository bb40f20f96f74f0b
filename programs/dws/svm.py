"""svm: columns of a kernel matrix, uniform loops over rows of data that lie apart."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..mappings import OF_LINES
from ..workload import Data, Launcher, Workload, persistent


def make(
    rng: np.random.Generator,
    *,
    n: int,
    dims: int,
    columns: int,
    number: type[np.floating] = np.float32,
) -> Data:
    """Vectors in a cube around the origin, and the numbers of those whose columns are wanted."""
    return {
        "n": n,
        "dims": dims,
        "columns": columns,
        "x": rng.uniform(-1, 1, (n, dims)).astype(number),
        "chosen": rng.permutation(n)[:columns].astype(np.uint32),
        "matrix": np.zeros((columns, n), number),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the work-items share the vectors among them."""
    names = ("n", "dims", "columns", "x", "chosen", "matrix")
    persistent(launcher, "svm", data["n"])(*(data[name] for name in names))


def reference(data: Data) -> dict[str, np.ndarray]:
    """All products of a coordinate at once, added up in the kernel's order."""
    dot = np.zeros_like(data["matrix"])
    for coordinate in data["x"].T:
        dot += np.outer(coordinate[data["chosen"]], coordinate)
    dot += 1
    return {"matrix": dot * dot * dot}


_USUAL = Workload(
    title="svm: columns of a support vector machine's kernel matrix",
    source="DWS Table 2, SVM; MineBench",
    sizes={
        "tiny": {"n": 70, "dims": 5, "columns": 4},
        "small": {"n": 5_000, "dims": 20, "columns": 2},
        "maws": {"n": 1_024, "dims": 20, "columns": 1_024},
        "paper": {"n": 100_000, "dims": 20, "columns": 2},
    },
    make=make,
    launch=launch,
    reference=reference,
    mappings=OF_LINES,
    data="f32",
)

WORKLOAD = replace(
    _USUAL, other=(replace(_USUAL, data="f64", make=partial(make, number=np.float64)),)
)
