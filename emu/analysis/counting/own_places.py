"""Group memory of which no place is shared between two barriers, found by calculation.

Between two barriers a work-item may store to a place that no other one accesses, or all may load
what was stored before. Where each work-item stores to places that follow from its number alone,
all of them are calculated for a workgroup's size. A branch may then depend on what is loaded, and
nothing needs to be watched. Branches on such numbers say which work-items run an access.

Places may also follow from a counter (`round_counter.py`) that is equal for all work-items between
two barriers, as in a sort by rounds. Then they are calculated for each of its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from ....isa.types import Segment
from ...geometry import Dim3
from ..flow.order import START
from ..values.item_numbers import Numbers, calculated, of_constant
from ..values.ssa import Const, Op, Ssa, Value
from .round_counter import Counter, ends_round, reached, round_counters, tree_of

Bytes = npt.NDArray[np.int64]
"""The bytes of an access, in the last dimension."""

DEEPEST = 32
"""Operations of the longest calculation that is followed."""

MOST_NUMBERS = 1 << 16
"""Values of a counter times work-items of a workgroup, at most."""

MOST_CASES = 64
"""Ways in which the accesses between two barriers may differ from value to value of a counter."""


def are_own(ssa: Ssa, group_size: Dim3) -> bool:
    """Return whether what a work-item stores to group memory is its own, from barrier to barrier.

    No other work-item then accesses that place in this time, whichever of them run. Workgroups have
    `group_size` work-items, or fewer at the edge of a grid.
    """
    if _are_own(ssa, group_size, None):
        return True
    return any(
        len(counter.values) * prod(group_size) <= MOST_NUMBERS
        and _are_own(ssa, group_size, counter)
        for counter in round_counters(ssa)
    )


def _are_own(ssa: Ssa, group_size: Dim3, counter: Counter | None) -> bool:
    places = _Places(ssa, group_size, counter)
    for begin, accesses in _intervals(ssa):
        stores = {op for op in accesses if not op.ins.row.is_load}
        if not stores:
            continue
        if any(op.ins.row.is_atomic for op in stores):
            return False
        found: list[_Access] = []
        for op in accesses:
            access = places.of(op)
            if access is None:
                return False
            found.append(access)
        counted = [op for op, a in zip(accesses, found, strict=True) if a.is_counted]
        if counter is not None and not counter.is_one(ssa.flow, begin, counted):
            return False
        if not _are_apart(found, [op in stores for op in accesses]):
            return False
    return True


def _intervals(ssa: Ssa) -> Iterator[tuple[int, list[Op]]]:
    """Yield the accesses of group memory that may run between two barriers, or at an end.

    With them, the node at which that time begins.
    """
    flow = ssa.flow
    begins = [START]
    begins += [s for n in flow.nodes if ends_round(flow, n.number) for s in n.successors]
    for begin in sorted(set(begins)):
        yield (
            begin,
            [
                op
                for number in sorted(reached(flow, [begin]))
                for op in ssa.ops.get(number, ())
                if op.ins.row.is_memory and op.ins.row.segment is Segment.GROUP
            ],
        )


@dataclass(frozen=True)
class _Access:
    """The places of an access: by value of the counter (one without it), work-item and byte."""

    places: Bytes
    runs: npt.NDArray[np.bool_]
    """Whether a work-item may run it, by value of the counter and work-item."""

    @property
    def is_counted(self) -> bool:
        """Whether it depends on the counter."""
        return len(self.places) > 1 or len(self.runs) > 1

    def case(self, number: int) -> tuple[Bytes, Bytes]:
        """Return the bytes that are accessed for a value of the counter, and by which work-item."""
        runs = self.runs[number if len(self.runs) > 1 else 0]
        items = np.flatnonzero(runs)
        places = self.places[number if len(self.places) > 1 else 0][items]
        return places.ravel(), np.repeat(items, places.shape[1])


def _are_apart(accesses: Sequence[_Access], stores: Sequence[bool]) -> bool:
    """Return whether no byte that one work-item stores is accessed by another one."""
    values = max(max(len(a.places), len(a.runs)) for a in accesses)
    looks = [
        part.reshape(len(part), -1)
        for a in accesses
        for part in (a.places, a.runs)
        if len(part) > 1
    ]
    cases = [0]
    if values > 1:
        _, cases = np.unique(np.hstack(looks), axis=0, return_index=True)
        if len(cases) > MOST_CASES:
            return False
    for case in cases:
        accessed = [a.case(int(case)) for a in accesses]
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


class _Places:
    """The places that work-items access, as far as these follow from their numbers."""

    def __init__(self, ssa: Ssa, group_size: Dim3, counter: Counter | None) -> None:
        self._ssa, self._size = ssa, group_size
        self._tree = tree_of(ssa.flow)
        self._known: dict[Value, Numbers | None] = {}
        if counter is not None:
            self._known[counter.phi] = np.array(counter.values, np.uint32)[:, None]

    def of(self, op: Op) -> _Access | None:
        """Return the places of an access; None if they are not known."""
        address, type_ = op.ins.address, op.ins.row.type
        if address is None or type_ is None:
            return None
        base: Numbers | None = np.zeros(prod(self._size), np.uint32)
        if op.base is not None:
            base = self._number(op.base, DEEPEST)
        if base is None:
            return None
        places = np.atleast_2d(self._of_all(base)).astype(np.int64) + address.offset
        return _Access(places[:, :, None] + np.arange(type_.size), self._runs(op.node))

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
