"""Group memory of which no place is shared between two barriers, found by calculation.

Between two barriers a work-item may store to a place that no other one accesses, or all may load
what was stored before. Where each work-item stores to places that follow from its number alone,
all of them are calculated for a workgroup's size. A branch may then depend on what is loaded, and
nothing needs to be watched. Branches on such numbers say which work-items run an access. Places of
atomics need not be known where nothing else is accessed between the two barriers, and where their
order does not show, as in a histogram.

A place that does not follow from numbers may be anywhere within the bounds of its address, or at
multiples of a stride from its work-item's number (`strides.py`). That is enough for atomics and
loads if nothing else is stored there, for elements of which each work-item has every n-th one, and
for any access that only one work-item runs.

Places may also follow from the iteration of a loop (`round_counter.py`) that is the same for all
work-items between two barriers, as in a sort by rounds, or a scan with two arrays in turns. Then
they are calculated for each iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ....isa.types import Segment
from ...geometry import Dim3
from ..flow.barriers import ends_round, reached
from ..flow.order import START
from ..values.commuting import commute
from ..values.item_numbers import Numbers, calculated, of_constant
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .round_counter import Counter, round_counters, tree_of
from .strides import Strides

_SEVERAL = -1
"""In place of the number of a work-item: several may access a byte."""

Bytes = npt.NDArray[np.int64]
"""The bytes of an access, in the last dimension."""

_Number = TypeVar("_Number", bound=np.generic)

DEEPEST = 32
"""Operations of the longest calculation that is followed."""

MOST_NUMBERS = 1 << 16
"""Iterations times work-items of a workgroup, at most."""

MOST_BYTES = 1 << 17
"""Bytes that one access may have, of all work-items of a workgroup."""

MOST_CASES = 64
"""Ways in which the accesses between two barriers may differ from iteration to iteration.

More if they have no more than `MOST_CASE_BYTES` together.
"""

MOST_CASE_BYTES = 1 << 18
"""As 128 work-items have that share a row of as many words in turns. They take 20 ms."""

MOST_FOLLOWED = 128
"""Iterations in which what each work-item takes along to the next one is followed."""


def are_own(
    ssa: Ssa,
    group_size: Dim3,
    group_bytes: int,
    appends: Collection[Op] = (),
    elements: Mapping[Op, range] | None = None,
) -> bool:
    """Return whether what a work-item stores to group memory is its own, from barrier to barrier.

    No other work-item then accesses that place in this time, whichever of them run. Or all accesses
    of a place in this time are atomics whose order does not show. Workgroups have `group_size`
    work-items, or fewer at the edge of a grid, and `group_bytes` of memory.

    The atomics `appends` take slots of lists (lists.py), whose `elements` are accessed at these
    bytes: each is stored once.
    """
    lists = _Lists(frozenset(appends), elements or {})
    if _are_own(ssa, Places(ssa, group_size, group_bytes, None, lists.elements), None, lists):
        return True
    return not lists.appends and any(
        counter.iterations * prod(group_size) <= MOST_NUMBERS
        and _are_own(ssa, Places(ssa, group_size, group_bytes, counter), counter, lists)
        for counter in round_counters(ssa)
    )


class _Lists(NamedTuple):
    appends: frozenset[Op]
    elements: Mapping[Op, range]

    def has(self, op: Op) -> bool:
        """Return whether it is one of their stores."""
        return op in self.elements and not op.ins.row.is_load


def _are_own(ssa: Ssa, places: Places, counter: Counter | None, lists: _Lists) -> bool:
    for parts in _intervals(ssa, counter):
        ops = [op for part in parts for op in part]
        if all(op.ins.row.is_load for op in ops):
            continue
        atomics = _by_operation(ops, lists)
        if not all(commute(same, ssa) or lists.appends.issuperset(same) for same in atomics):
            return False
        if len(atomics) == 1 and len(atomics[0]) == len(ops):
            continue
        found: dict[Op, Access] = {}
        for op, is_later in zip(ops, [False] * len(parts[0]) + [True] * len(parts[1]), strict=True):
            access = places.of(op)
            if counter is not None and counter.has_left(op.node):
                if len(access.places) > 1:
                    return False
                access = replace(access, runs=access.runs.any(0, keepdims=True))
            found[op] = access if counter is None else access.during(counter, is_later=is_later)
        # Several work-items may store one constant to a place: their order does not show.
        elements = [op for op in ops if lists.has(op)]
        shared = [*atomics, *([elements] if elements else []), *_constants(found, lists)]
        if shared and counter is not None:
            return False
        others = {op: found[op] for op in ops if not any(op in same for same in shared)}
        groups = [[found[op] for op in same] for same in shared]
        if shared and not _are_disjoint([*groups, list(others.values())]):
            return False
        stores = [not op.ins.row.is_load for op in others]
        if any(stores) and not _are_apart(list(others.values()), stores):
            return False
    return True


def _by_operation(ops: Sequence[Op], lists: _Lists) -> list[list[Op]]:
    """Return atomics by what they do."""
    found: dict[object, list[Op]] = {}
    for op in ops:
        if op.ins.row.is_atomic:
            found.setdefault((op.ins.row.stem, op in lists.appends), []).append(op)
    return list(found.values())


def _constants(found: Mapping[Op, Access], lists: _Lists) -> list[list[Op]]:
    """Return stores of constants that several work-items make to a place, by what they store."""
    same: dict[object, list[Op]] = {}
    for op, access in found.items():
        is_store = not op.ins.row.is_load and not op.ins.row.is_atomic and not lists.has(op)
        if is_store and isinstance(op.args[0], Const) and not _are_apart([access], [True]):
            same.setdefault((op.args[0].bits, op.ins.row.type), []).append(op)
    return list(same.values())


def _are_disjoint(groups: Sequence[Sequence[Access]]) -> bool:
    """Return whether no byte is accessed by two groups of accesses, each in one iteration."""
    each = [np.unique(np.concatenate([a.case(0)[0] for a in group])) for group in groups if group]
    together = np.concatenate(each)
    return np.unique(together).size == together.size


def _intervals(ssa: Ssa, counter: Counter | None) -> Iterator[tuple[list[Op], list[Op]]]:
    """Yield the accesses of group memory that may run between two barriers, or at an end.

    Those that may run when the next iteration of the counter's loop has begun are the second ones.
    """
    flow = ssa.flow
    begins = {s for n in flow.nodes if ends_round(flow, n.number) for s in n.successors}
    for begin in sorted(begins | {START}):
        nodes = (reached(flow, [begin]), set()) if counter is None else counter.nodes(flow, begin)
        first, second = (
            [
                op
                for number in sorted(part)
                for op in ssa.ops.get(number, ())
                if op.ins.row.is_memory and op.ins.row.segment is Segment.GROUP
            ]
            for part in nodes
        )
        yield first, second


@dataclass(frozen=True)
class Access:
    """The places of an access: by iteration (one without a counter), work-item and byte."""

    places: Bytes
    """Of one work-item where all of them may access all of these bytes."""
    runs: npt.NDArray[np.bool_]
    """Whether a work-item may run it, by iteration and work-item."""

    @property
    def is_own(self) -> bool:
        """Whether it is known which work-item accesses which byte."""
        return not self._has_all or bool((self.runs.sum(1) <= 1).all())

    @property
    def _has_all(self) -> bool:
        return self.places.shape[1] < self.runs.shape[1]

    def during(self, counter: Counter, *, is_later: bool) -> Access:
        """Return the same by the iteration in which a barrier has been passed; -1: before the loop.

        A later access is one of the next iteration.
        """
        if len(self.places) == len(self.runs) == 1:
            return self
        nothing = (0, 1) if is_later else (1, 0)
        rounds, runs = counter.iterations, _by_round(self.runs, counter.iterations, nothing)
        if self._has_all:
            return Access(self.places, runs)
        return Access(_by_round(self.places, rounds, nothing), runs)

    def case(self, number: int) -> tuple[Bytes, Bytes]:
        """Return the bytes that are accessed in an iteration, and by which work-item."""
        runs = self.runs[number if len(self.runs) > 1 else 0]
        items = np.flatnonzero(runs)
        if self._has_all:
            places = self.places[0, 0, : self.places.shape[2] if items.size else 0]
            return places, np.full(places.size, items[0] if items.size == 1 else _SEVERAL)
        places = self.places[number if len(self.places) > 1 else 0][items]
        return places.ravel(), np.repeat(items, places.shape[1])


def _by_round(
    part: npt.NDArray[_Number], rounds: int, nothing: tuple[int, int]
) -> npt.NDArray[_Number]:
    """Return a part of an access for each iteration, with zeros for so many before and after."""
    each = np.broadcast_to(part, (rounds, *part.shape[1:]))
    return np.pad(each, (nothing, *((0, 0) for _ in part.shape[1:])))


def _are_apart(accesses: Sequence[Access], stores: Sequence[bool]) -> bool:
    """Return whether no byte that one work-item stores is accessed by another one."""
    values = max(max(len(a.places), len(a.runs)) for a in accesses)
    looks = [part for a in accesses for part in (a.places, a.runs) if len(part) > 1]
    cases = [0]
    if values > 1:
        # One iteration for each way.
        ways = {tuple(part[n].tobytes() for part in looks): n for n in range(values)}
        cases = list(ways.values())
        each = sum(prod(a.places.shape[1:]) for a in accesses)
        if len(cases) > MOST_CASES and len(cases) * each > MOST_CASE_BYTES:
            return False
    if not all(a.is_own for a, is_store in zip(accesses, stores, strict=True) if is_store):
        return False
    for case in cases:
        accessed = [a.case(case) for a in accesses]
        stored = [found for found, is_store in zip(accessed, stores, strict=True) if is_store]
        if not _are_case_apart(stored, accessed):
            return False
    return True


def _are_case_apart(
    stored: Sequence[tuple[Bytes, Bytes]], accessed: Sequence[tuple[Bytes, Bytes]]
) -> bool:
    places, items = _by_place(stored)
    if not places.size:
        return True
    if (items[1:] != items[:-1])[places[1:] == places[:-1]].any():
        return False
    owned, first = np.unique(places, return_index=True)
    places, others = _by_place(accessed)
    at = np.minimum(np.searchsorted(owned, places), owned.size - 1)
    return bool(((owned[at] != places) | (items[first[at]] == others)).all())


def _by_place(accesses: Sequence[tuple[Bytes, Bytes]]) -> tuple[Bytes, Bytes]:
    """Return the bytes of some accesses in ascending order, and the work-item of each."""
    places = np.concatenate([places for places, _ in accesses])
    items = np.concatenate([items for _, items in accesses])
    order = np.argsort(places, kind="stable")
    return places[order], items[order]


class Places:
    """The places that work-items access, as far as these follow from their numbers."""

    def __init__(
        self,
        ssa: Ssa,
        group_size: Dim3,
        group_bytes: int,
        counter: Counter | None,
        given: Mapping[Op, range] | None = None,
    ) -> None:
        """`given` has the bytes that some accesses may have."""
        self._ssa, self._size, self._bytes = ssa, group_size, group_bytes
        self._given = given or {}
        self._tree = tree_of(ssa.flow)
        self._known: dict[Value, Numbers | None] = {}
        if counter is not None:
            self._known |= _columns(counter.values)
            if counter.iterations <= MOST_FOLLOWED:
                self._known |= self._followed(counter)

    def of(self, op: Op) -> Access:
        """Return the places of an access, or the bounds of these."""
        address, type_ = op.ins.address, op.ins.row.type
        assert address is not None
        assert type_ is not None
        if op in self._given:
            return Access(np.array(self._given[op])[None, None], self._runs(op.node))
        base: Numbers | None = np.zeros(prod(self._size), np.uint32)
        if op.base is not None:
            base = self._number(op.base, DEEPEST)
        if base is None:
            assert op.base is not None
            return Access(self._possible(op, op.base, address.offset), self._runs(op.node))
        places = np.atleast_2d(self._of_all(base)).astype(np.int64) + address.offset
        return Access(places[:, :, None] + np.arange(type_.size), self._runs(op.node))

    def _possible(self, op: Op, base: Value, offset: int) -> Bytes:
        """Return the bytes that an access may have: of each work-item, or of all of them."""
        type_, strides = op.ins.row.type, self._strides
        assert type_ is not None
        least, most = strides.bounds(base, op.node, DEEPEST)
        # Beyond the group's memory it would trap.
        end = min(most + offset + type_.size, self._bytes)
        first = min(max(least + offset, 0), end)
        numbers, stride = strides.of(base, DEEPEST)
        starts = (numbers.astype(np.int64) + offset - first) % max(stride, 1)
        count = -(-(end - first) // max(stride, 1))
        all_bytes = np.arange(first, end)[None, None]
        if (starts == starts[0]).all() or starts.size * count * type_.size > MOST_BYTES:
            return all_bytes
        each = np.arange(first, end, stride) + starts[:, None]
        each = np.where(each < end, each, each[:, :1])
        return (each[:, :, None] + np.arange(type_.size)).reshape(1, starts.size, -1)

    @cached_property
    def _strides(self) -> Strides:
        items = prod(self._size)
        return Strides(self._ssa, items, lambda value: self._number(value, DEEPEST))

    def _followed(self, counter: Counter) -> dict[Value, Numbers]:
        """Return what phis that differ among work-items are in each iteration, if that is known."""
        now: dict[Phi, Numbers] = {}
        for phi, (begin, _) in counter.others.items():
            number = self._number(begin, DEEPEST)
            if number is not None:
                now[phi] = self._of_all(number)
        each = [now]
        for number in range(counter.iterations - 1 if now else 0):
            once = copy(self)
            once._known = {**now, **_columns({p: [v[number]] for p, v in counter.values.items()})}
            found = {phi: once._number(counter.others[phi][1], DEEPEST) for phi in now}
            now = {phi: once._of_all(n).ravel() for phi, n in found.items() if n is not None}
            each.append(now)
        return {phi: np.array([numbers[phi] for numbers in each]) for phi in now}

    def _of_all(self, numbers: Numbers) -> Numbers:
        """Return numbers with one for each work-item, of which a counter has one for all."""
        return np.broadcast_to(numbers, (*numbers.shape[:-1], prod(self._size)))

    def _runs(self, number: int | None) -> npt.NDArray[np.bool_]:
        """Return which work-items may run a node, as far as branches on numbers say."""
        flow = self._ssa.flow
        runs = np.ones((1, prod(self._size)), np.bool_)
        while number is not None:
            before = flow.nodes[number].predecessors
            condition = self._ssa.conditions.get(before[0]) if len(before) == 1 else None
            if condition is not None and len(flow.nodes[before[0]].successors) == 2:
                decided = self._number(condition, DEEPEST)
                if decided is not None:
                    side = flow.nodes[before[0]].successors.index(number)
                    runs = runs & ((self._of_all(decided) != 0) == bool(side))
            number = self._tree.parents[number]
        return runs

    def _number(self, value: Value, depth: int) -> Numbers | None:
        if value in self._known:
            return self._known[value]
        if isinstance(value, Const):
            return of_constant(value, self._size)
        if not isinstance(value, Op) or not depth:
            return None
        self._known[value] = calculated(
            value, self._size, lambda arg: self._number(arg, depth - 1), whole=False
        )
        return self._known[value]


def _columns(values: Mapping[Phi, Sequence[int]]) -> dict[Value, Numbers]:
    """Return values that are the same in all work-items, with a row for each iteration."""
    return {phi: np.array(each, np.uint32)[:, None] for phi, each in values.items()}
