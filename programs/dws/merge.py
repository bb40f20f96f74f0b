"""merge: merge sort, a launch a pass, with branches that depend on the keys."""

from __future__ import annotations

import numpy as np

from ..mappings import OF_LINES
from ..workload import Data, Launcher, Workload, persistent


def make(rng: np.random.Generator, *, n: int) -> Data:
    """Random integers, few enough different ones that some are equal."""
    return {
        "n": n,
        "keys": rng.integers(-2 * n, 2 * n, n, np.int32),
        "scratch": np.zeros(n, np.int32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A launch a pass; `keys` and `scratch` change places after each."""
    n = data["n"]
    run = 1
    while run < n:
        pairs = -(-n // (2 * run))
        if pairs >= launcher.contexts:
            kernel = persistent(launcher, "merge_pairs", pairs)
        else:
            kernel = persistent(launcher, "merge_ranks", n)
        kernel(n, run, data["keys"], data["scratch"])
        data["keys"], data["scratch"] = data["scratch"], data["keys"]
        run *= 2


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's sort."""
    return {"keys": np.sort(data["keys"])}


WORKLOAD = Workload(
    title="merge: merge sort from the bottom up",
    source="DWS Table 2, Merge",
    sizes={"tiny": {"n": 75}, "small": {"n": 3_000}, "paper": {"n": 300_000}},
    make=make,
    launch=launch,
    reference=reference,
    mappings=OF_LINES,
    data="s32",
)
