"""Values of a kernel by how generated code keeps them, whatever the width of warps."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import TypeGuard

from ....isa.types import B1, RegClass
from ...analysis.ranges.float_ranges import FloatRanges, Nan
from ...analysis.ranges.integer_ranges import Ranges
from ...analysis.ranges.long_bounds import short_products
from ...analysis.ranges.memory_pieces import Piece, pieces_of, stored_values
from ...analysis.ranges.offset_ranges import Ranges as OffsetRanges
from ...analysis.values.ssa import Const, Op, Phi, Ssa, Value, uses
from ..arithmetic import emit as alu

_STEPS = frozenset({"add", "sub", "xor", "or"})


class ValueTable:
    """Values that need a variable, values that may be NaNs of any bits, and a stable order."""

    def __init__(self, ssa: Ssa, offsets: OffsetRanges | None = None) -> None:
        """`offsets` are the ranges of places in the kernel's own memory; ANY without them."""
        self._ssa = ssa
        self.crossing = _crossing(ssa)
        """Ops whose value is used in another node, or by a phi."""
        pieces = pieces_of(ssa, offsets)
        self.floats = FloatRanges(ssa, lambda: self.integers, stored_values(pieces))
        numbers, unobserved = _numbers(ssa, pieces)
        self.unseen = {v for v in numbers if isinstance(v, Op) and alu.changes_sign(v.ins.row)}
        """Signs of floats that are set or changed where no NaN's bits are observed later."""
        observed = [piece for piece in pieces if piece not in unobserved]
        self.noncanonical = _noncanonical(ssa, self.floats, numbers, observed)
        """Values that may carry a NaN with other bits than the canonical one."""
        carrying = [p for p in observed if any(op in self.noncanonical for op in p.loads)]
        self.unseen_stores = {op for piece in (*unobserved, *carrying) for op in piece.stores}
        """Stores to memory whose loads are read as numbers only, or made canonical later."""
        self.addends = _addends(ssa)
        """Conditions as numbers that are only added or subtracted."""
        self.some_step = _some_step(ssa)
        """Values one more than another, or with another lowest bit, in the lanes of one path."""
        self.iteration_steps = _iteration_steps(ssa)
        """Counters of loops one more or less, for the next iteration."""
        self.float_phis = _float_phis(ssa)
        """Phis of computed floats."""
        self._positions = {value: i for i, value in enumerate(ssa.values())}

    def steps_in_some(self, phis: Iterable[Phi]) -> None:
        """Note that phis which step by 1 keep their value in some lanes."""
        for phi in phis:
            self.some_step.update(a for a in phi.args.values() if _is_step(a) and phi in a.args)

    @cached_property
    def integers(self) -> Ranges:
        """The ranges of integers."""
        return Ranges(self._ssa)

    @cached_property
    def short_products(self) -> frozenset[Op]:
        """64-bit products of factors that have 32 bits in running lanes."""
        return short_products(self._ssa, self.integers)

    def is_number(self, value: Value) -> bool:
        """Return whether nothing may show the bits of a NaN that a value is."""
        phis = (phi for found in self._ssa.phis.values() for phi in found)
        return not any(value in phi.args.values() for phi in phis) and not any(
            op.ins.row.has_address
            or any(_observes(op, i) for i, a in enumerate(op.args) if a is value)
            for ops in self._ssa.ops.values()
            for op in ops
            if value in uses(op)
        )

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


def _float_phis(ssa: Ssa) -> set[Phi]:
    """Return the phis that get a computed float, if only by other phis."""
    phis = {phi for found in ssa.phis.values() for phi in found}
    found = {phi for phi in phis if any(_is_float(a, phi.cls) for a in phi.args.values())}
    while more := {phi for phi in phis - found if not found.isdisjoint(phi.args.values())}:
        found |= more
    return found


def _is_float(value: Value, cls: RegClass) -> bool:
    """Return whether a value is a float that fills registers of a class, and is computed."""
    if not isinstance(value, Op) or value.ins.row.is_memory:
        return False
    type_ = value.ins.row.type
    return type_ is not None and type_.is_float and type_.bits == cls.bits


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


def _iteration_steps(ssa: Ssa) -> set[Value]:
    """Return the counters of loops plus or minus 1."""
    return {
        a
        for loop in ssa.flow.loops
        for phi in ssa.phis.get(loop.header, ())
        for a in phi.args.values()
        if _is_step(a) and a.args[0] is phi and a.ins.row.stem in ("add", "sub")
    }


def _is_step(value: Value) -> TypeGuard[Op]:
    """Return whether a value is made of another integer and 1."""
    if not isinstance(value, Op) or value.ins.row.stem not in _STEPS:
        return False
    type_, last = value.ins.row.type, value.args[-1]
    is_integer = type_ is not None and not type_.is_float and value.cls is not RegClass.C
    return is_integer and isinstance(last, Const) and last.bits == 1


def _numbers(ssa: Ssa, pieces: list[Piece]) -> tuple[set[Value], list[Piece]]:
    """Return what is read as numbers only: phis, selects and signs; pieces by all of their loads.

    What they choose from, change the sign of or store may be read through further ones.
    """
    pieces = [piece for piece in pieces if piece.has_one_size]
    loads = {op for piece in pieces for op in piece.loads}
    found: set[Value] = {
        v
        for v in ssa.values()
        if v.cls is not RegClass.C and (isinstance(v, Phi) or (isinstance(v, Op) and _passes(v)))
    }
    found |= loads
    changed = True
    while changed:
        seen: set[Value] = set()
        unseen = {op for piece in pieces for op in piece.stores}
        for ops in ssa.ops.values():
            for op in ops:
                if op in unseen:
                    seen.update(() if op.base is None else (op.base,))
                elif op.ins.row.has_address:
                    seen |= uses(op)
                elif op not in found:
                    seen.update(a for i, a in enumerate(op.args) if _observes(op, i))
        for phis in ssa.phis.values():
            for phi in phis:
                if phi not in found:
                    seen.update(phi.args.values())
        changed = not found.isdisjoint(seen)
        found -= seen
        pieces = [piece for piece in pieces if found.issuperset(piece.loads)]
    return found - loads, pieces


def _passes(op: Op) -> bool:
    """Return whether the bits of an op's result are those of a source, but for the sign."""
    return op.ins.row.stem == "select" or alu.changes_sign(op.ins.row)


def _noncanonical(
    ssa: Ssa, ranges: FloatRanges, numbers: set[Value], pieces: list[Piece]
) -> set[Value]:
    """Return the values that may carry a NaN with other bits than the canonical one.

    A phi or select is one of them if all that it chooses from are, or are never a NaN. If it
    chooses payloads from memory too, the others are made canonical before it, unless it is one of
    the `numbers`, of which no bits are observed. The loads of one of the `pieces` are some of them
    if all that is stored there are.
    """

    def is_number(value: Value) -> bool:
        return ranges.of(value).nan is Nan.NEVER

    values = ssa.values()
    computed: set[Value] = {
        v
        for v in values
        if isinstance(v, Op) and alu.may_be_noncanonical(v.ins.row) and not is_number(v)
    }
    choices: dict[Value, Collection[Value]] = {
        op: [store.args[0] for store in piece.stores]
        for piece in pieces
        if piece.has_one_size
        for op in piece.loads
    }
    for v in values:
        if v.cls is not RegClass.C and isinstance(v, Phi):
            choices[v] = v.args.values()
        elif v.cls is not RegClass.C and isinstance(v, Op) and v.ins.row.stem == "select":
            choices[v] = v.args[1:]
    found = computed | choices.keys()
    changed = True
    while changed:
        lost = {
            value
            for value in found & choices.keys() - numbers
            if not all(s in found or is_number(s) for s in choices[value])
        }
        changed = bool(lost)
        found -= lost
    return _reached(found, computed, choices)


def _reached(
    values: set[Value], computed: set[Value], choices: dict[Value, Collection[Value]]
) -> set[Value]:
    """Return the values that may be a NaN: without those that choose from numbers alone."""
    found = set(computed)
    changed = True
    while changed:
        more = {v for v in values - found if not found.isdisjoint(choices[v])}
        changed = bool(more)
        found |= more
    return found


def _observes(op: Op, position: int) -> bool:
    """Return whether an op may show the bits of a NaN that it has for an argument."""
    row = op.ins.row
    return row.has_address or position >= len(row.srcs) or alu.wants_canonical(row, position)
