"""Values that are the same calculation, written twice, as an index before a load and a store."""

from __future__ import annotations

from ....isa.table import Flags
from ....isa.types import Segment
from .ssa import Const, Op, Ssa, Value, same_value

Numbering = dict[Value, object]
"""Value -> what it shares with all that are the same for a work-item in an iteration."""


def numbering_of(ssa: Ssa) -> Numbering:
    """Return what values share that are calculated alike from the same ones."""
    shared: Numbering = {}
    first: dict[object, Value] = {}
    for value in ssa.values():
        shared[value] = value
        if isinstance(value, Op):
            if is_calculated(value):
                shared[value] = first.setdefault(calculation_of(value, shared), value)
            shared |= {arg: same_value(arg) for arg in value.args if isinstance(arg, Const)}
    return shared


def calculation_of(op: Op, shared: Numbering) -> tuple[object, ...]:
    """Return what an instruction has in common with others that calculate or load the same."""
    address = op.ins.address
    place = None if address is None else (address.segment, address.offset)
    operands = (shared.get(arg) or same_value(arg) for arg in op.args)
    return (op.ins.row.name, op.ins.literals, place, *operands)


def is_calculated(op: Op) -> bool:
    """Return whether an instruction always gives the same for the same operands."""
    row = op.ins.row
    if row.is_memory:
        return row.segment in (Segment.KERNARG, Segment.READONLY)
    return op.ins.dst is not None and not row.reads_clock and Flags.CROSS_LANE not in row.flags
