"""Kernels whose launch may start over with the memory that it has changed."""

from __future__ import annotations

from ....isa.program import Kernel
from ....isa.types import Segment


def is_repeatable(kernel: Kernel) -> bool:
    """Return whether a second launch does the same with the memory that the first has changed.

    That is so for kernels that do not load from global memory, or do not store there.
    """
    rows = [ins.row for ins in kernel.instructions if ins.row.segment is Segment.GLOBAL]
    loads = any(row.is_load or row.is_atomic for row in rows)
    stores = any(row.is_store or row.is_atomic for row in rows)
    return not (loads and stores)
