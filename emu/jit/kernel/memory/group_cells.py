"""Where atomics of group memory have their cells: after it on the stack, in the same 4,096 bytes.

A load waits for the stores before it whose addresses have the same low twelve bits. On Intel's
cores it waits as long as for a store to its own place if the two pages are an unlucky pair, which
one in thirteen is. Then each increment of a histogram waited for the one before, and in such a
process it took four times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .....isa.program import Kernel
from .....isa.types import Segment
from .shuffles.shuffled import READ_BEYOND

ALIASED = 1 << 12
"""Bytes after which addresses have the same low bits again."""


@dataclass(frozen=True)
class GroupCells:
    """Cells after group memory on the stack."""

    offsets: dict[str, int] = field(default_factory=dict)
    """Name of the cells -> bytes between the first one of group memory and them."""

    end: int = 0
    """Bytes of group memory and cells together."""


def group_cells(kernel: Kernel, width: int, vectors: int) -> GroupCells:
    """Return the cells of a kernel, for warps of `width` lanes that are `vectors` masks.

    Those that would not be in the same 4,096 bytes, and all of a kernel without atomics of group
    memory, are elsewhere.
    """
    rows = (ins.row for ins in kernel.instructions)
    if not any(row.is_atomic and row.segment is Segment.GROUP for row in rows):
        return GroupCells()
    sizes = {"offsets": 4 * width, "running": 8 * vectors}
    sizes |= dict.fromkeys(("left", "right", "olds"), 8 * width)
    offsets: dict[str, int] = {}
    end = _aligned(kernel.group_size + READ_BEYOND)
    for name, size in sizes.items():
        if end + size <= ALIASED:
            offsets[name] = end
            end = _aligned(end + size)
    return GroupCells(offsets, end)


def _aligned(size: int) -> int:
    return -(-size // 64) * 64
