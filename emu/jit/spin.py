"""Tells kernels that wait for what other work-items write: they need a fair schedule.

Generated code runs a warp from start to end (or to its next barrier), so a warp that waits for a
later one would wait for ever. Such a kernel has a loop that is left by a condition on memory that
the loop does not walk along: an atomic, or a load at an address that stays the same. Those
kernels belong to the interpreter, which gives every warp its turn and finds deadlocks.
"""

from __future__ import annotations

from .order import Loop
from .ssa import Const, Op, Phi, Ssa, Value


def may_spin(ssa: Ssa) -> bool:
    """Whether some loop may wait for another work-item's store."""
    return any(_waits(ssa, loop) for loop in ssa.flow.loops)


def _waits(ssa: Ssa, loop: Loop) -> bool:
    exits = [
        number
        for number in loop.nodes
        if any(there not in loop.nodes for there in ssa.flow.nodes[number].successors)
        and ssa.flow.nodes[number].latch_of is None
    ]
    return any(
        _reads_the_same_place(value, ssa, loop)
        for number in exits
        if number in ssa.conditions
        for value in _slice(ssa.conditions[number], loop)
    )


def _slice(start: Value, loop: Loop) -> set[Value]:
    """The values inside a loop that a condition is made of."""
    found: set[Value] = set()
    work = [start]
    while work:
        value = work.pop()
        if value in found or isinstance(value, Const) or not _inside(value, loop):
            continue
        found.add(value)
        work += value.args.values() if isinstance(value, Phi) else _args(value)
    return found


def _args(value: Value) -> list[Value]:
    return value.args if isinstance(value, Op) else []


def _inside(value: Value, loop: Loop) -> bool:
    return isinstance(value, (Op, Phi)) and value.node in loop.nodes


def _reads_the_same_place(value: Value, ssa: Ssa, loop: Loop) -> bool:
    if not isinstance(value, Op):
        return False
    row = value.ins.row
    if row.is_atomic:
        return True
    if not row.is_load or row.segment is None or row.segment.value not in ("global", "group"):
        return False
    return not any(_changes(v, ssa, loop) for v in _slice_of_base(value, loop))


def _changes(value: Value, ssa: Ssa, loop: Loop) -> bool:
    """Whether a value may be another one in the next trip of this very loop."""
    return isinstance(value, Phi) and any(
        value.args[before] is not value
        for (before, there), latch in ssa.flow.back.items()
        if there == value.node and latch == loop.latch
    )


def _slice_of_base(op: Op, loop: Loop) -> set[Value]:
    return _slice(op.base, loop) if op.base is not None else set()
