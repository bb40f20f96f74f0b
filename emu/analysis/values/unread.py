"""Values that nothing reads where loads of group memory take their words from global memory."""

from __future__ import annotations

from collections.abc import Collection

from ....isa.table import Unit
from ....isa.types import Segment
from .ssa import Op, Phi, Ssa, Value, uses


def unread_without_places(ssa: Ssa, copied: Collection[int]) -> frozenset[Value]:
    """Return the values that nothing reads if group memory is not accessed, nor its places needed.

    There are none if an access is in a loop that is not `copied`, given by number: tests before
    such loops may ask for its place.
    """
    flow = ssa.flow
    accesses = [
        op
        for ops in ssa.ops.values()
        for op in ops
        if op.ins.row.is_memory and op.ins.row.segment is Segment.GROUP
    ]
    around = {loop.number for op in accesses for loop in flow.loops_around(op.node)}
    return frozenset() if around.difference(copied) else _unread(ssa, accesses)


def _unread(ssa: Ssa, accesses: Collection[Op]) -> frozenset[Value]:
    """Return the values on which no effect depends, where accesses have no effect."""
    found: set[Value] = set()
    work: list[Value] = list(ssa.conditions.values())
    for ops in ssa.ops.values():
        for op in ops:
            if op not in accesses and _has_effect(op):
                work += uses(op)
    while work:
        value = work.pop()
        if value in found:
            continue
        found.add(value)
        if isinstance(value, Phi):
            work += value.args.values()
        elif isinstance(value, Op) and value not in accesses:
            work += uses(value)
    return frozenset(v for v in ssa.values() if v not in found and not _has_effect(v))


def _has_effect(value: Value) -> bool:
    """Return whether an instruction may access memory or trap, or is not plain arithmetic."""
    if not isinstance(value, Op):
        return False
    row = value.ins.row
    return row.unit not in (Unit.MOVE, Unit.INT, Unit.FLOAT) or row.is_memory
