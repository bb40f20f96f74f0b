"""Group memory of which no place is shared between two barriers, found by calculation.

Between two barriers a work-item may store to a place that no other one accesses, or all may load
what was stored before. Where each work-item stores to places that follow from its number alone,
all of them are calculated for a workgroup's size. A branch may then depend on what is loaded, and
nothing needs to be watched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ....isa.types import RegClass, Segment, mask_of
from ...geometry import Dim3
from ..order import START, Flow
from ..ssa import Const, Op, Ssa, Value

Numbers = npt.NDArray[np.int64]
"""One for each work-item of a workgroup."""

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


def _are_apart(stored: Sequence[Numbers], accessed: Sequence[Numbers]) -> bool:
    """Return whether no byte that one work-item stores is accessed by another one.

    Each array has a row for each work-item: the bytes of an access.
    """
    places, items = _by_place(stored)
    if (items[1:] != items[:-1])[places[1:] == places[:-1]].any():
        return False
    owned, first = np.unique(places, return_index=True)
    places, others = _by_place(accessed)
    at = np.minimum(np.searchsorted(owned, places), owned.size - 1)
    return bool(((owned[at] != places) | (items[first[at]] == others)).all())


def _by_place(accesses: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """Return the bytes of some accesses in ascending order, and the work-item of each."""
    places = np.concatenate([p.ravel() for p in accesses])
    items = np.concatenate([np.repeat(np.arange(len(p)), p.shape[1]) for p in accesses])
    order = np.argsort(places, kind="stable")
    return places[order], items[order]


class _Places:
    """The places that work-items access, as far as these follow from their numbers."""

    def __init__(self, group_size: Dim3) -> None:
        x, y, z = group_size
        self._size = group_size
        self._items = [
            np.tile(np.arange(x, dtype=np.int64), y * z),
            np.tile(np.repeat(np.arange(y, dtype=np.int64), x), z),
            np.repeat(np.arange(z, dtype=np.int64), x * y),
        ]
        self._known: dict[Value, Numbers | None] = {}

    def of(self, op: Op) -> Numbers | None:
        """Return the bytes of an access, a row for each work-item; None if they are not known."""
        address, type_ = op.ins.address, op.ins.row.type
        if address is None or type_ is None:
            return None
        base = self._number(op.base, DEEPEST) if op.base is not None else self._items[0] * 0
        if base is None:
            return None
        return (base + address.offset)[:, None] + np.arange(type_.size)

    def _number(self, value: Value, depth: int) -> Numbers | None:
        if isinstance(value, Const):
            return self._items[0] * 0 + (value.bits & mask_of(32))
        if not isinstance(value, Op) or value.cls is not RegClass.S or not depth:
            return None
        if value not in self._known:
            self._known[value] = self._calculated(value, depth)
        return self._known[value]

    def _calculated(self, op: Op, depth: int) -> Numbers | None:
        row, literals = op.ins.row, op.ins.literals
        if row.stem == "workitemid":
            return self._items[literals[0]]
        if row.stem == "workitemflatid" and self._size[1:] == (1, 1):
            return self._items[0]
        if row.is_memory or row.is_identity or row.type is None or row.type.name != "u32":
            return None
        args = [self._number(a, depth - 1) for a in op.args]
        known = [a for a in args if a is not None]
        found = _result(row.stem, known) if len(known) == len(args) else None
        return None if found is None else found & mask_of(32)


def _result(stem: str, args: Sequence[Numbers]) -> Numbers | None:
    """Return the result of an operation on unsigned numbers, before it is cut to 32 bits."""
    match stem, *args:
        case "mov", a:
            return a
        case "add", a, b:
            return a + b
        case "sub", a, b:
            return a - b
        case "mul", a, b:
            return _product(a, b)
        case "mad", a, b, c:
            return _product(a, b) + c
        case "shl", a, b:
            return a << (b & 31)
        case "shr", a, b:
            return a >> (b & 31)
        case "and", a, b:
            return a & b
        case "or", a, b:
            return a | b
        case "xor", a, b:
            return a ^ b
        case _:
            return None


def _product(a: Numbers, b: Numbers) -> Numbers:
    """Return products modulo 2^32; the whole ones might not fit into 64 bits."""
    low, high = b & 0xFFFF, b >> 16
    return (a * low + ((a * high & 0xFFFF) << 16)) & mask_of(32)
