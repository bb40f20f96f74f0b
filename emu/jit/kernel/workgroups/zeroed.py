"""The parts of group memory that are set to zero where a workgroup begins."""

from __future__ import annotations

import numpy as np

from ....analysis.facts import Facts
from ....analysis.group_memory.first_stores import stored_first
from ....analysis.values.ssa import Ssa

MOST_PARTS = 48
"""Parts that are set one after the other; more of them are one with what is between them."""

MOST_BYTES = 1 << 16
"""Group memory of which is found out what is stored first."""


def zeroed(ssa: Ssa, facts: Facts, total: int, *, together: bool) -> list[tuple[int, int]]:
    """Return (first byte, number of bytes) of each part of `total` bytes of group memory.

    `together` says that all work-items of a workgroup reach each barrier together.
    """
    if not together or total > MOST_BYTES:
        return [(0, total)]
    needed = np.concatenate([[False], ~stored_first(ssa, facts.group_size, total), [False]])
    ends = np.flatnonzero(needed[1:] != needed[:-1]).tolist()
    parts = list(zip(ends[::2], ends[1::2], strict=True))
    if len(parts) > MOST_PARTS:
        parts = [(parts[0][0], parts[-1][1])]
    return [(start, end - start) for start, end in parts]
