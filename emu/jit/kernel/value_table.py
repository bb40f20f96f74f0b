"""Values of a kernel by how generated code keeps them, whatever the width of warps."""

from __future__ import annotations

from functools import cached_property
from typing import TypeGuard

from ....isa.types import B1, RegClass
from ...analysis.ranges.float_ranges import FloatRanges, Nan
from ...analysis.ranges.integer_ranges import Ranges
from ...analysis.ssa import Const, Op, Phi, Ssa, Value, uses
from ..arithmetic import emit as alu

_STEPS = frozenset({"add", "sub", "xor", "or"})


class ValueTable:
    """Values that need a variable, values that may be NaNs of any bits, and a stable order."""

    def __init__(self, ssa: Ssa) -> None:
        self._ssa = ssa
        self.crossing = _crossing(ssa)
        """Ops whose value is used in another node, or by a phi."""
        self.floats = FloatRanges(ssa, lambda: self.integers)
        self.unseen = _unseen(ssa)
        """Signs of floats that are set or changed where no NaN's bits are observed later."""
        numbers = _numbers(ssa, self.unseen)
        self.noncanonical = _noncanonical(ssa, self.floats, numbers)
        """Values that may carry a NaN with other bits than the canonical one."""
        self.addends = _addends(ssa)
        """Conditions as numbers that are only added or subtracted."""
        self.some_step = _some_step(ssa)
        """Values one more than another, or with another lowest bit, in the lanes of one path."""
        self._positions = {value: i for i, value in enumerate(ssa.values())}

    @cached_property
    def integers(self) -> Ranges:
        """The ranges of integers."""
        return Ranges(self._ssa)

    def position(self, value: Value) -> int:
        """Return the position of a value in the kernel, for a stable order."""
        return self._positions[value]


def _crossing(ssa: Ssa) -> set[Value]:
    found: set[Value] = set()
    for number, ops in ssa.ops.items():
        for op in ops:
            found.update(a for a in uses(op) if isinstance(a, Op) and a.node != number)
    for phis in ssa.phis.values():
        for phi in phis:
            found.update(a for a in phi.args.values() if isinstance(a, Op))
    for number, condition in ssa.conditions.items():
        if isinstance(condition, Op) and condition.node != number:
            found.add(condition)
    return found


def _addends(ssa: Ssa) -> set[Value]:
    """Return the conditions that become numbers which are only added to others, or subtracted."""
    found: set[Value] = {
        op
        for ops in ssa.ops.values()
        for op in ops
        if op.ins.row.source is B1 and op.ins.row.type is not None and not op.ins.row.type.is_float
    }
    for ops in ssa.ops.values():
        for op in ops:
            row = op.ins.row
            if row.stem == "add":
                found -= uses(op) - set(op.args)
            elif row.stem == "sub":
                found -= uses(op) - {op.args[1]} | {op.args[0]}
            else:
                found -= uses(op)
    for phis in ssa.phis.values():
        for phi in phis:
            found.difference_update(phi.args.values())
    return found


def _some_step(ssa: Ssa) -> set[Value]:
    """Return sums, differences and bits with 1 that are only joined with the number before."""
    found: set[Value] = set()
    for phis in ssa.phis.values():
        for phi in phis:
            args = set(phi.args.values())
            found.update(a for a in args if _is_step(a) and a.args[0] in args)
    for ops in ssa.ops.values():
        for op in ops:
            found -= uses(op)
    return found


def _is_step(value: Value) -> TypeGuard[Op]:
    """Return whether a value is made of another integer and 1."""
    if not isinstance(value, Op) or value.ins.row.stem not in _STEPS:
        return False
    type_, last = value.ins.row.type, value.args[-1]
    is_integer = type_ is not None and not type_.is_float and value.cls is not RegClass.C
    return is_integer and isinstance(last, Const) and last.bits == 1


def _numbers(ssa: Ssa, unseen: set[Value]) -> set[Value]:
    """Return the phis and selects that are read as numbers only, through further ones as well."""
    found: set[Value] = {
        v
        for v in ssa.values()
        if v.cls is not RegClass.C
        and (isinstance(v, Phi) or (isinstance(v, Op) and v.ins.row.stem == "select"))
    }
    changed = True
    while changed:
        seen: set[Value] = set()
        for ops in ssa.ops.values():
            for op in ops:
                if op.ins.row.has_address:
                    seen |= uses(op)
                elif op not in unseen and op not in found:
                    seen.update(a for i, a in enumerate(op.args) if _observes(op, i))
        for phis in ssa.phis.values():
            for phi in phis:
                if phi not in found:
                    seen.update(phi.args.values())
        changed = not found.isdisjoint(seen)
        found -= seen
    return found


def _noncanonical(ssa: Ssa, ranges: FloatRanges, numbers: set[Value]) -> set[Value]:
    """Return the values that may carry a NaN with other bits than the canonical one.

    A phi or select is one of them if all that it chooses from are, or are never a NaN. If it
    chooses payloads from memory too, the others are made canonical before it, unless it is one of
    the `numbers`, of which no bits are observed.
    """

    def is_number(value: Value) -> bool:
        return ranges.of(value).nan is Nan.NEVER

    values = ssa.values()
    computed: set[Value] = {
        v
        for v in values
        if isinstance(v, Op) and alu.may_be_noncanonical(v.ins.row) and not is_number(v)
    }
    found = set(computed)
    floats = [v for v in values if v.cls is not RegClass.C]
    found |= {v for v in floats if isinstance(v, Phi)}
    found |= {v for v in floats if isinstance(v, Op) and v.ins.row.stem == "select"}
    changed = True
    while changed:
        changed = False
        for value in list(found):
            if value in numbers or (isinstance(value, Op) and value.ins.row.stem != "select"):
                continue
            assert isinstance(value, (Op, Phi))
            sources = value.args.values() if isinstance(value, Phi) else value.args[1:]
            if not all(s in found or is_number(s) for s in sources):
                found.discard(value)
                changed = True
    return _reached(found, computed)


def _reached(values: set[Value], computed: set[Value]) -> set[Value]:
    """Return the values that may be a NaN: without phis and selects of numbers alone."""
    found = set(computed)
    changed = True
    while changed:
        changed = False
        for value in values - found:
            assert isinstance(value, (Op, Phi))
            sources = value.args.values() if isinstance(value, Phi) else value.args[1:]
            if not found.isdisjoint(sources):
                found.add(value)
                changed = True
    return found


def _unseen(ssa: Ssa) -> set[Value]:
    """Return each `neg` and `abs` whose result is read as a number only."""
    found: set[Value] = {
        v for v in ssa.values() if isinstance(v, Op) and alu.changes_sign(v.ins.row)
    }
    seen: set[Value] = set(ssa.conditions.values())
    for phis in ssa.phis.values():
        for phi in phis:
            seen.update(phi.args.values())
    changed = True
    while changed:
        found -= seen
        changed = False
        for ops in ssa.ops.values():
            for op in ops:
                if op in found:
                    continue
                observed = {a for i, a in enumerate(op.args) if _observes(op, i)} & found
                seen |= observed
                changed = changed or bool(observed)
    return found


def _observes(op: Op, position: int) -> bool:
    """Return whether an op may show the bits of a NaN that it has for an argument."""
    row = op.ins.row
    return row.has_address or position >= len(row.srcs) or alu.wants_canonical(row, position)
