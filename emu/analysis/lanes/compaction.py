"""Stores of a compaction: those of the lanes that run are mostly side by side.

A lane that finds an item stores it after those that the lanes before it have found. So the place of
a store is calculated from how many lanes run it, which lanes count among each other: by cross-lane
operations, by a scan in group memory, or by an atomic that gives each one a place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ....isa.instruction import Instruction
from ....isa.types import RegClass, Segment
from ..facts import OF_ACTIVE_LANES
from ..flow.postdominators import postdominators
from ..values.ssa import Const, Op, Phi, Ssa, Value, made_of, operands_of


def compactions(ssa: Ssa) -> frozenset[Op]:
    """Return the stores to global memory at places that are calculated from the lanes that run."""
    ops = [op for number in ssa.flow.order for op in ssa.ops.get(number, ())]
    stores = [op for op in ops if op.ins.row.is_store and op.ins.row.segment is Segment.GLOBAL]
    if not stores or not any(_is_of_others(op) for op in ops):
        return frozenset()
    places = _Places(ssa, ops)
    return frozenset(op for op in stores if places.follow_from_lanes(op))


@dataclass(frozen=True)
class Rank:
    """An index that is the same for all lanes, plus how many lanes before this one are counted."""

    start: Value
    ballot: Op | None
    """The lanes that are counted, as a word; None: those that run the store."""


def rank_in(index: Value, store: Op, is_uniform: Callable[[Value], bool]) -> Rank | None:
    """Return how the index of a store counts lanes; None if the store's own node does not show it.

    Other nodes need not keep what an index is calculated from.
    """
    if not (isinstance(index, Op) and index.ins.row.name in ("add_u32", "add_s32")):
        return None
    if index.node != store.node:
        return None
    for start, rank in (index.args, index.args[::-1]):
        if not (isinstance(rank, Op) and is_uniform(start)):
            continue
        if rank.ins.row.stem == "activelaneid" and rank.node == store.node:
            return Rank(start, None)
        ballot = _counted_before(rank, store.node)
        if ballot is not None:
            return Rank(start, ballot)
    return None


def _counted_before(rank: Op, node: int) -> Op | None:
    """Return the ballot, used in a node, of which a value counts the lanes before this one."""
    lanes = rank.args[0] if rank.ins.row.name == "popcount_u64" else None
    if not (isinstance(lanes, Op) and lanes.ins.row.name == "and_u64" and lanes.node == node):
        return None
    for ballot, before in (lanes.args, lanes.args[::-1]):
        if (
            isinstance(ballot, Op)
            and ballot.ins.row.stem == "activelanemask"
            and _is_before(before)
        ):
            return ballot
    return None


def _is_before(value: Value) -> bool:
    """Return whether a value has the bits of the lanes before this one: `(1 << lane) - 1`."""
    if not (isinstance(value, Op) and value.ins.row.name == "sub_u64"):
        return False
    bit, one = value.args
    return (
        _is_one(one)
        and isinstance(bit, Op)
        and bit.ins.row.name == "shl_u64"
        and _is_one(bit.args[0])
        and isinstance(bit.args[1], Op)
        and bit.args[1].ins.row.stem == "laneid"
    )


def _is_one(value: Value) -> bool:
    return isinstance(value, Const) and value.bits == 1


class _Places:
    """What the places of stores are calculated from, across lanes as well."""

    def __init__(self, ssa: Ssa, ops: list[Op]) -> None:
        self._ssa = ssa
        self._after = postdominators(ssa.flow)
        self._headers = {loop.header for loop in ssa.flow.loops}
        self._branches: dict[int, frozenset[int]] = {}
        self._in_group = [
            value
            for op in ops
            if op.ins.row.segment is Segment.GROUP and not op.ins.row.is_load
            for value in op.args
        ]

    def follow_from_lanes(self, store: Op) -> bool:
        """Return whether the place of a store is calculated from what decides on its lanes."""
        if store.base is None:
            return False
        found = self._sources(store.base)
        others = [v for v in found if isinstance(v, Op) and _is_of_others(v)]
        if any(v.ins.row.is_atomic for v in others):
            return True
        deciding = self._conditions(store.node)
        return bool(others) and any(
            value in found and _depends_on_data(value)
            for condition in deciding
            for value in _parts_of(condition)
        )

    def _sources(self, value: Value) -> set[Value]:
        """Return what a value is calculated from, by any lanes."""
        found: set[Value] = set()
        work = [value]
        while work:
            value = work.pop()
            if value in found:
                continue
            found.add(value)
            work += operands_of(value)
            if isinstance(value, Phi) and value.node not in self._headers:
                for number in value.args:
                    work += self._conditions(number)
            elif isinstance(value, Op):
                row = value.ins.row
                if row.is_load and row.segment is Segment.GROUP:
                    work += self._in_group
                elif row.stem in OF_ACTIVE_LANES:
                    work += self._conditions(value.node)
        return found

    def _conditions(self, number: int) -> list[Value]:
        """Return the conditions on which it depends whether lanes run a node."""
        seen: set[int] = set()
        work = [number]
        while work:
            for branch in self._deciding(work.pop()) - seen:
                seen.add(branch)
                work.append(branch)
        return [self._ssa.conditions[branch] for branch in sorted(seen)]

    def _deciding(self, number: int) -> frozenset[int]:
        """Return the branches of which one side leads to a node, and another one past it."""
        if number not in self._branches:
            nodes, bit = self._ssa.flow.nodes, 1 << number
            self._branches[number] = frozenset(
                branch
                for branch in self._ssa.conditions
                if not self._after.get(branch, 0) & bit
                and any(
                    side == number or self._after.get(side, 0) & bit
                    for side in nodes[branch].successors
                )
            )
        return self._branches[number]


def may_compact(code: Iterable[Instruction]) -> bool:
    """Return whether a kernel may have such stores, at a glance."""
    return any(map(_counts_others, code))


def _is_of_others(op: Op) -> bool:
    return _counts_others(op.ins)


def _counts_others(ins: Instruction) -> bool:
    """Return whether the result of an instruction depends on other lanes that run."""
    row = ins.row
    if row.is_atomic:
        return row.stem == "atomic_add" and ins.dst is not None
    return row.stem in OF_ACTIVE_LANES or (row.is_load and row.segment is Segment.GROUP)


def _parts_of(condition: Value) -> list[Value]:
    """Return the conditions that one is made of, itself among them."""
    found, work = [], [condition]
    while work:
        value = work.pop()
        found.append(value)
        if isinstance(value, Op):
            work += [arg for arg in value.args if arg.cls is RegClass.C]
    return found


def _depends_on_data(value: Value) -> bool:
    """Return whether a value is calculated from what was loaded from global memory."""
    return any(isinstance(v, Op) and v.ins.row.segment is Segment.GLOBAL for v in made_of([value]))
