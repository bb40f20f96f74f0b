"""Group memory of which no place is shared between two barriers, found by calculation.

Between two barriers a work-item may store to a place that no other one accesses, or all may load
what was stored before. Where each work-item stores to places that follow from its number alone,
all of them are calculated for a workgroup's size. A branch may then depend on what is loaded, and
nothing needs to be watched. Branches on such numbers say which work-items run an access. Places of
atomics need not be known where nothing else is accessed between the two barriers, and where their
order does not show, as in a histogram.

A place that does not follow from numbers may be anywhere within bounds, or at multiples of a stride
(`item_places.py`). That is enough for atomics and loads if nothing else is stored there, for
elements of which each work-item has every n-th one, and for any access that only one work-item
runs. A load may also be tested to be before what is stored, as a look-up in an array beside others.

Places may also follow from the iteration of a loop (`round_counter.py`) that is the same for all
work-items between two barriers, as in a sort by rounds, or a scan with two arrays in turns. Then
they are calculated for each iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from ....isa.types import Segment
from ...geometry import Dim3
from ..flow.barriers import ends_round, reached
from ..flow.order import START
from ..values.commuting import commute
from ..values.ssa import Const, Op, Ssa
from .item_places import Access, Bytes, Places
from .round_counter import Counter, round_counters

MOST_NUMBERS = 1 << 16
"""Iterations times work-items of a workgroup, at most."""

MOST_CASES = 64
"""Ways in which the accesses between two barriers may differ from iteration to iteration.

More if they have no more than `MOST_CASE_BYTES` together.
"""

MOST_CASE_BYTES = 1 << 18
"""As 128 work-items have that share a row of as many words in turns. They take 20 ms."""


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
    return any(
        _are_own(ssa, places, counter, lists, None)
        for places, counter in _ways(ssa, group_size, group_bytes, lists)
    )


def ends_of_loads(
    ssa: Ssa,
    group_size: Dim3,
    group_bytes: int,
    appends: Collection[Op] = (),
    elements: Mapping[Op, range] | None = None,
) -> dict[int, int] | None:
    """Return pcs of loads -> the ends before which they must be for `are_own` to hold.

    Such a load is from an array at places that do not follow from numbers, as where it is looked up
    by what memory holds. An offset is added to a number that is not negative. So a load is from the
    bytes between its offset and the next ones that are stored to, if it is before these. None if
    other places are not known either.
    """
    lists = _Lists(frozenset(appends), elements or {})
    for places, counter in _ways(ssa, group_size, group_bytes, lists):
        ends: dict[int, int] = {}
        if _are_own(ssa, places, counter, lists, ends):
            return ends
    return None


def _ways(
    ssa: Ssa, group_size: Dim3, group_bytes: int, lists: _Lists
) -> Iterator[tuple[Places, Counter | None]]:
    """Yield what finds places, without a counter of rounds and with each."""
    yield Places(ssa, group_size, group_bytes, None, lists.elements), None
    for counter in () if lists.appends else round_counters(ssa):
        if counter.iterations * prod(group_size) <= MOST_NUMBERS:
            yield Places(ssa, group_size, group_bytes, counter), counter


class _Lists(NamedTuple):
    appends: frozenset[Op]
    elements: Mapping[Op, range]

    def has(self, op: Op) -> bool:
        """Return whether it is one of their stores."""
        return op in self.elements and not op.ins.row.is_load


def _are_own(
    ssa: Ssa,
    places: Places,
    counter: Counter | None,
    lists: _Lists,
    ends: dict[int, int] | None,
) -> bool:
    """Return whether what work-items store is their own, if loads are before `ends`.

    These are added to it; None: wherever loads are.
    """
    for begin, *parts in _intervals(ssa, counter):
        ops = [op for part in parts for op in part]
        if all(op.ins.row.is_load for op in ops):
            continue
        atomics = _by_operation(ops, lists)
        if not all(commute(same, ssa) or lists.appends.issuperset(same) for same in atomics):
            return False
        if len(atomics) == 1 and len(atomics[0]) == len(ops):
            continue
        found: dict[Op, Access] = {}
        anywhere: dict[Op, Access] = {}
        for op, is_later in zip(ops, [False] * len(parts[0]) + [True] * len(parts[1]), strict=True):
            access = places.of(op)
            if ends is not None and places.may_be_anywhere(op):
                anywhere[op] = access
                continue
            is_first = op in parts[0]
            if counter is not None and is_first and counter.has_left(op.node, begin):
                if len(access.places) > 1:
                    return False
                access = replace(access, runs=access.runs.any(0, keepdims=True))
            found[op] = access if counter is None else access.during(counter, is_later=is_later)
        if ends is not None and not _limit(anywhere, found, ends):
            return False
        # Several work-items may store one constant to a place: their order does not show.
        elements = [op for op in ops if lists.has(op)]
        shared = [*atomics, *([elements] if elements else []), *_constants(found, lists)]
        if shared and counter is not None:
            return False
        others = {op: a for op, a in found.items() if not any(op in same for same in shared)}
        groups = [[found[op] for op in same] for same in shared]
        if shared and not _are_disjoint([*groups, list(others.values())]):
            return False
        stores = [not op.ins.row.is_load for op in others]
        if any(stores) and not _are_apart(list(others.values()), stores):
            return False
    return True


def _limit(loads: Mapping[Op, Access], others: Mapping[Op, Access], ends: dict[int, int]) -> bool:
    """Add the ends of loads, before what others store from their offset on.

    Return False if one of these would be at its offset.
    """
    stores = [access for op, access in others.items() if not op.ins.row.is_load]
    stored = [a.case(n)[0] for a in stores for n in range(max(len(a.places), len(a.runs)))]
    taken = np.unique(np.concatenate(stored)) if stored else np.empty(0, np.int64)
    for op, access in loads.items():
        address, type_ = op.ins.address, op.ins.row.type
        assert address is not None
        assert type_ is not None
        after = taken[np.searchsorted(taken, address.offset) :]
        if after.size and access.places.max(initial=-1) >= after[0]:
            if after[0] < address.offset + type_.size:
                return False
            ends[op.pc] = min(ends.get(op.pc, int(after[0])), int(after[0]))
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


def _intervals(ssa: Ssa, counter: Counter | None) -> Iterator[tuple[int, list[Op], list[Op]]]:
    """Yield the accesses of group memory that may run between two barriers, or at an end.

    Before them is the node where the first barrier has been passed.

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
        yield begin, first, second


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
