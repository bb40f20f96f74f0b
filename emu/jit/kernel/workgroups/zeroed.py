"""The parts of group memory that are set to zero where a workgroup begins."""

from __future__ import annotations

import numpy as np

from ....analysis.facts import Facts
from ....analysis.group_memory.first_stores import stored_first
from ....analysis.values.ssa import Ssa
from ....analysis.warps.uniformity import Shapes
from ...llvm.function_text import FunctionText
from ..memory.kernel_memory import KernelMemory
from ..memory.shuffles.shuffled import READ_BEYOND

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


def zero_group(
    entry: FunctionText, code: FunctionText, memory: KernelMemory, shapes: Shapes, *, together: bool
) -> None:
    """Set the bytes of group memory to zero that a workgroup may load before it stores them.

    All of it is zero when a call begins, so that nothing is ever read that LLVM does not know.
    `together` says that all work-items of a workgroup reach each barrier together.
    """
    facts = shapes.facts
    total = memory.group_bytes
    if not total:
        return
    place = memory.group_place(entry)
    scale = memory.group_scale
    found = zeroed(shapes.ssa, facts, total, together=together)
    parts = [(start * scale, count * scale) for start, count in found]
    total = memory.group_room
    if parts != [(0, total)]:
        entry.zero(place, total)
    if memory.after_group > READ_BEYOND and memory.is_group_on_stack:
        after = entry.let(f"getelementptr i8, ptr {place}, i64 {total}")
        entry.zero(after, memory.after_group)
    if memory.before_group and memory.is_group_on_stack:
        before = -memory.before_group
        start = entry.let(f"getelementptr i8, ptr {place}, i64 {before}")
        entry.zero(start, memory.before_group)
    if facts.poison is not None:  # a debug build
        code.set_bytes(place, total, facts.poison & 0x7F)
    for start, count in parts:
        at = code.let(f"getelementptr i8, ptr {place}, i64 {start}") if start else place
        code.zero(at, count)
