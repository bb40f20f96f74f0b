"""vectorsum: reduction in group memory, and what a second launch is for."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 128


def make(rng: np.random.Generator, *, n: int, groups: int) -> Data:
    """Numbers of all 32 bits, room for a sum per workgroup, and for the sum of those."""
    return {
        "n": n,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "sums": np.zeros(groups, np.uint32),
        "total": np.zeros(1, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Many workgroups over the vector, then one over their sums."""
    sums = data["sums"]
    launcher("blocksum", groups=len(sums), group_size=GROUP)(data["n"], data["x"], sums)
    launcher("blocksum", groups=1, group_size=GROUP)(len(sums), sums, data["total"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """The total modulo 2^32."""
    return {"total": data["x"].sum(keepdims=True, dtype=np.uint32)}


WORKLOAD = Workload(
    title="vectorsum: tree reduction in group memory",
    source="M. Harris, Optimizing Parallel Reduction in CUDA (2007)",
    sizes={
        "tiny": {"n": 1_000, "groups": 2},
        "small": {"n": 1 << 21, "groups": 128},
        "paper": {"n": 1 << 24, "groups": 256},
    },
    make=make,
    launch=launch,
    reference=reference,
)
