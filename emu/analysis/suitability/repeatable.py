"""Kernels whose launch may start over with the memory that it has changed; what others change."""

from __future__ import annotations

from ....isa.program import Kernel
from ....isa.types import RegClass, Segment
from ...recent import Recent
from ..analysis import analyse
from ..values.ssa import Op, sources_of


def is_repeatable(kernel: Kernel) -> bool:
    """Return whether a second launch does the same with the memory that the first has changed.

    That is so for kernels that do not load from global memory, or do not store there.
    """
    rows = [ins.row for ins in kernel.instructions if ins.row.segment is Segment.GLOBAL]
    loads = any(row.is_load or row.is_atomic for row in rows)
    stores = any(row.is_store or row.is_atomic for row in rows)
    return not (loads and stores)


def stored_through(kernel: Kernel) -> frozenset[int] | None:
    """Return the offsets of the pointer arguments by which a kernel stores; None if not known.

    An address with one such pointer is taken to be in its buffer. To be in another one it would
    have to pass the gap between them.
    """
    pointers = frozenset(p.offset for p in kernel.params if p.is_pointer)
    key = kernel.key, pointers
    found = _STORED.find(key)
    if found is None:
        offsets = {
            _pointer(op, pointers)
            for ops in analyse(kernel).ssa.ops.values()
            for op in ops
            if op.ins.row.segment is Segment.GLOBAL
            and (op.ins.row.is_store or op.ins.row.is_atomic)
        }
        known = frozenset(o for o in offsets if o is not None)
        found = _STORED.keep(key, (known if None not in offsets else None,))
    return found[0]


_STORED: Recent[tuple[object, ...], tuple[frozenset[int] | None]] = Recent()
"""By the key of a kernel and the offsets of its pointers, which many launches share."""


def _pointer(access: Op, pointers: frozenset[int]) -> int | None:
    """Return the offset of the only pointer that an address is computed from, None if not one."""
    if access.base is None:
        return None
    found: set[int | None] = set()
    for value in sources_of(access.base):
        if isinstance(value, Op) and value.ins.row.is_memory and value.cls is RegClass.D:
            address = value.ins.address
            if value.ins.row.segment is not Segment.KERNARG or address is None:
                return None  # it may be a pointer
            if address.offset in pointers:
                found.add(address.offset)
    return found.pop() if len(found) == 1 else None
