"""histogram: atomics in group memory, then in global memory."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

BINS = 256


def make(rng: np.random.Generator, *, n: int, groups: int) -> Data:
    """Bytes around 100, as in a photograph: lanes of a warp often want the same counter."""
    return {
        "n": n,
        "groups": groups,
        "x": np.clip(rng.normal(100.0, 30.0, n), 0, 255).astype(np.uint8),
        "bins": np.zeros(BINS, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the workgroups share the bytes among them."""
    kernel = launcher("histogram", groups=data["groups"], group_size=BINS)
    kernel(data["n"], data["x"], data["bins"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's counts."""
    return {"bins": np.bincount(data["x"], minlength=BINS).astype(np.uint32)}


def picture(data: Data) -> np.ndarray:
    """The counts as dark columns on white."""
    height = 192
    bins = data["bins"].astype(np.float64)
    tops = np.round(bins / max(1.0, bins.max()) * height)
    filled = np.arange(height, 0, -1)[:, None] <= tops[None, :]
    return np.repeat(np.where(filled, 40, 255).astype(np.uint8), 2, axis=1)


WORKLOAD = Workload(
    title="histogram: 256 bins, counted with atomics in group memory",
    source="V. Podlozhnyuk, Histogram calculation in CUDA (2007)",
    sizes={
        "tiny": {"n": 2_500, "groups": 2},
        "small": {"n": 1 << 20, "groups": 16},
        "paper": {"n": 1 << 24, "groups": 64},
    },
    make=make,
    launch=launch,
    reference=reference,
    picture=picture,
)
