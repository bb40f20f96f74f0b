"""Group memory of which no place is shared between two barriers, found by calculation.

Between two barriers a work-item may store to a place that no other one accesses, or all may load
what was stored before. Where each work-item stores to places that follow from its number alone,
all of them are calculated for a workgroup's size. A branch may then depend on what is loaded, and
nothing needs to be watched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from ....isa.types import Segment
from ...geometry import Dim3
from ..flow.order import START, Flow
from ..values.item_numbers import Numbers, calculated, of_constant
from ..values.ssa import Const, Op, Ssa, Value

Bytes = npt.NDArray[np.int64]
"""A row for each work-item of a workgroup: the bytes of an access."""

DEEPEST = 32
"""Operations of the longest calculation that is followed."""


def are_own(ssa: Ssa, group_size: Dim3) -> bool:
    """Return whether what a work-item stores to group memory is its own, from barrier to barrier.

    No other work-item then accesses that place in this time, whichever of them run. Workgroups have
    `group_size` work-items, or fewer at the edge of a grid.
    """
    places = _Places(group_size)
    for accesses in _intervals(ssa):
        stores = [op for op in accesses if not op.ins.row.is_load]
        if not stores:
            continue
        if any(op.ins.row.is_atomic for op in stores):
            return False
        found = [places.of(op) for op in accesses]
        known = [p for p in found if p is not None]
        stored = [
            p for op, p in zip(accesses, found, strict=True) if op in stores and p is not None
        ]
        if len(known) < len(found) or not _are_apart(stored, known):
            return False
    return True


def _intervals(ssa: Ssa) -> Iterator[list[Op]]:
    """Yield the accesses of group memory that may run between two barriers, or at an end."""
    flow = ssa.flow
    begins = [START]
    begins += [s for n in flow.nodes if _ends_round(flow, n.number) for s in n.successors]
    for begin in sorted(set(begins)):
        yield [
            op
            for number in sorted(_reached(flow, begin))
            for op in ssa.ops.get(number, ())
            if op.ins.row.is_memory and op.ins.row.segment is Segment.GROUP
        ]


def _ends_round(flow: Flow, number: int) -> bool:
    last = flow.nodes[number].last
    return last is not None and last.row.is_barrier


def _reached(flow: Flow, begin: int) -> set[int]:
    """Return the nodes that a work-item may run from a node on, until the next barrier."""
    found, work = {begin}, [begin]
    while work:
        number = work.pop()
        if _ends_round(flow, number):
            continue
        new = set(flow.nodes[number].successors) - found
        found |= new
        work += new
    return found


def _are_apart(stored: Sequence[Bytes], accessed: Sequence[Bytes]) -> bool:
    """Return whether no byte that one work-item stores is accessed by another one."""
    places, items = _by_place(stored)
    if (items[1:] != items[:-1])[places[1:] == places[:-1]].any():
        return False
    owned, first = np.unique(places, return_index=True)
    places, others = _by_place(accessed)
    at = np.minimum(np.searchsorted(owned, places), owned.size - 1)
    return bool(((owned[at] != places) | (items[first[at]] == others)).all())


def _by_place(accesses: Sequence[Bytes]) -> tuple[Bytes, Bytes]:
    """Return the bytes of some accesses in ascending order, and the work-item of each."""
    places = np.concatenate([p.ravel() for p in accesses])
    items = np.concatenate([np.repeat(np.arange(len(p)), p.shape[1]) for p in accesses])
    order = np.argsort(places, kind="stable")
    return places[order], items[order]


class _Places:
    """The places that work-items access, as far as these follow from their numbers."""

    def __init__(self, group_size: Dim3) -> None:
        self._size = group_size
        self._known: dict[Value, Numbers | None] = {}

    def of(self, op: Op) -> Bytes | None:
        """Return the bytes of an access, a row for each work-item; None if they are not known."""
        address, type_ = op.ins.address, op.ins.row.type
        if address is None or type_ is None:
            return None
        base: Numbers | None = np.zeros(prod(self._size), np.uint32)
        if op.base is not None:
            base = self._number(op.base, DEEPEST)
        if base is None:
            return None
        return (base.astype(np.int64) + address.offset)[:, None] + np.arange(type_.size)

    def _number(self, value: Value, depth: int) -> Numbers | None:
        if isinstance(value, Const):
            return of_constant(value, self._size)
        if not isinstance(value, Op) or not depth:
            return None
        if value not in self._known:
            self._known[value] = calculated(
                value, self._size, lambda arg: self._number(arg, depth - 1), whole=False
            )
        return self._known[value]
