"""scan: prefix sums by a tree in group memory, up and down, over many workgroups."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 64
BLOCK = 2 * GROUP


def make(rng: np.random.Generator, *, n: int) -> Data:
    """Numbers of all 32 bits, and room for the totals of each level: sums1, sums2, ..."""
    data: Data = {
        "n": n,
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "y": np.zeros(n, np.uint32),
    }
    level, blocks = 0, n
    while blocks > 1 or level == 0:
        level, blocks = level + 1, -(-blocks // BLOCK)
        data[f"sums{level}"] = np.zeros(blocks, np.uint32)
    return data


def launch(launcher: Launcher, data: Data) -> None:
    """Scan each level in blocks up to the one block on top, then add the totals on the way down."""
    levels = [data["y"]]
    while f"sums{len(levels)}" in data:
        levels.append(data[f"sums{len(levels)}"])
    source = data["x"]
    for target, sums in pairwise(levels):
        kernel = launcher("scan_blocks", groups=len(sums), group_size=GROUP)
        kernel(len(target), source, target, sums)
        source = sums  # the levels above are scanned in place
    for target, sums in reversed(list(pairwise(levels[:-1]))):
        kernel = launcher("add_sums", groups=-(-len(target) // GROUP), group_size=GROUP)
        kernel(len(target), BLOCK.bit_length() - 1, sums, target)


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's running sums, moved on by one."""
    sums = np.cumsum(data["x"], dtype=np.uint32)
    return {"y": np.concatenate((np.zeros(1, np.uint32), sums[:-1]))}


WORKLOAD = Workload(
    title="scan: exclusive prefix sums by a tree, up and down",
    source="PPC section IV; AMD APP SDK, ScanLargeArrays; G. E. Blelloch (1990)",
    sizes={"tiny": {"n": 200}, "small": {"n": 150_000}, "paper": {"n": 1 << 22}},
    make=make,
    launch=launch,
    reference=reference,
)
