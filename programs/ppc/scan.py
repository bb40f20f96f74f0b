"""scan: prefix sums by a tree in group memory, up and down, over many workgroups."""

from __future__ import annotations

from functools import partial

from ..basics.scan import make, reference, scan_blocks
from ..workload import Data, Launcher, Workload

GROUP = 64
BLOCK = 2 * GROUP


def launch(launcher: Launcher, data: Data) -> None:
    """Scan the levels and add the totals on the way down, an element a work-item."""
    for target, sums in scan_blocks(launcher, data, GROUP):
        kernel = launcher("add_sums", groups=-(-len(target) // GROUP), group_size=GROUP)
        kernel(len(target), BLOCK.bit_length() - 1, sums, target)


WORKLOAD = Workload(
    title="scan: exclusive prefix sums by a tree, up and down",
    source="PPC section IV; AMD APP SDK, ScanLargeArrays; G. E. Blelloch (1990)",
    sizes={"tiny": {"n": 200}, "small": {"n": 150_000}, "paper": {"n": 1 << 22}},
    make=partial(make, block=BLOCK),
    launch=launch,
    reference=reference,
)
