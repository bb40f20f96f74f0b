"""Values that nothing reads, where loads of group memory take their words from elsewhere."""

from __future__ import annotations

from collections.abc import Collection

from ....isa.table import Unit
from .ssa import Op, Phi, Ssa, Value, uses


def unread_values(ssa: Ssa, without_places: Collection[Op]) -> frozenset[Value]:
    """Return the values that no effect of a kernel depends on; some accesses use no address."""
    found: set[Value] = set()
    work: list[Value] = list(ssa.conditions.values())
    for ops in ssa.ops.values():
        for op in ops:
            if op in without_places:
                work += op.args if op.ins.row.is_store else []
            elif _has_effect(op):
                work += uses(op)
    while work:
        value = work.pop()
        if value in found:
            continue
        found.add(value)
        if isinstance(value, Phi):
            work += value.args.values()
        elif isinstance(value, Op) and value not in without_places:
            work += uses(value)
    return frozenset(
        value
        for value in ssa.values()
        if value not in found and (isinstance(value, Phi) or not _has_effect(value))
    )


def _has_effect(value: Value) -> bool:
    """Return whether an instruction may access memory or trap, or is not plain arithmetic."""
    if not isinstance(value, Op):
        return False
    row = value.ins.row
    is_plain = row.unit in (Unit.MOVE, Unit.INT, Unit.FLOAT) and not row.is_memory
    return not is_plain
