"""scan: prefix sums over many workgroups, level by level."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 128

Levels = Iterator[tuple[np.ndarray, np.ndarray]]
"""Elements, and the totals of their blocks."""


def make(rng: np.random.Generator, *, n: int, block: int = GROUP) -> Data:
    """Numbers of all 32 bits, and room for the totals of each level: sums1, sums2, ..."""
    data: Data = {
        "n": n,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "y": np.zeros(n, np.uint32),
    }
    level, blocks = 0, n
    while blocks > 1 or level == 0:
        level, blocks = level + 1, -(-blocks // block)
        data[f"sums{level}"] = np.zeros(blocks, np.uint32)
    return data


def scan_blocks(launcher: Launcher, data: Data, group: int) -> Levels:
    """Scan each level in blocks, up to the one block on top; what is to be added, downwards.

    A workgroup of `group` work-items scans a block.
    """
    levels = [data["y"]]
    while f"sums{len(levels)}" in data:
        levels.append(data[f"sums{len(levels)}"])
    source = data["x"]
    for target, sums in pairwise(levels):
        kernel = launcher("scan_blocks", groups=len(sums), group_size=group)
        kernel(len(target), source, target, sums)
        source = sums  # the levels above are scanned in place
    return reversed(list(pairwise(levels[:-1])))


def launch(launcher: Launcher, data: Data) -> None:
    """Scan the levels and add the totals on the way down."""
    for target, sums in scan_blocks(launcher, data, GROUP):
        launcher("add_sums", groups=len(sums), group_size=GROUP)(len(target), sums, target)


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's running sums, moved on by one."""
    sums = np.cumsum(data["x"], dtype=np.uint32)
    return {"y": np.concatenate((np.zeros(1, np.uint32), sums[:-1]))}


WORKLOAD = Workload(
    title="scan: exclusive prefix sums over many workgroups",
    source="W. D. Hillis, G. L. Steele, Data Parallel Algorithms (1986)",
    sizes={"tiny": {"n": 200}, "small": {"n": 150_000}, "paper": {"n": 1 << 22}},
    make=make,
    launch=launch,
    reference=reference,
)
