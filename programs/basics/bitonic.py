"""bitonic: a sorting network, a launch a pass, whose exchanges depend on the keys."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256


def make(rng: np.random.Generator, *, n: int) -> Data:
    """`n` keys of all 32 bits; `n` is a power of two."""
    return {"n": n, "keys": rng.integers(-(1 << 31), 1 << 31, n, np.int32)}


def launch(launcher: Launcher, data: Data) -> None:
    """A launch for every pair of a run's length and a distance within the run."""
    pairs, keys = data["n"] // 2, data["keys"]
    kernel = launcher("bitonic", items=max(1, pairs), group_size=max(1, min(GROUP, pairs)))
    run = 2
    while run <= data["n"]:
        apart = run // 2
        while apart:
            kernel(pairs, apart, run, keys)
            apart //= 2
        run *= 2


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's sort."""
    return {"keys": np.sort(data["keys"])}


WORKLOAD = Workload(
    title="bitonic: a sorting network, a launch a pass",
    source="K. E. Batcher, Sorting Networks and Their Applications (1968)",
    sizes={"tiny": {"n": 128}, "small": {"n": 1 << 14}, "paper": {"n": 1 << 20}},
    make=make,
    launch=launch,
    reference=reference,
)
