"""Pieces of a kernel's own memory, as its arrays: no access of one reaches into another one.

An access that is outside of the segment traps, so it reaches from its lowest place to the end of
the segment at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ....isa.types import Segment
from ..values.ssa import Op, Ssa, Value
from .offset_ranges import Ranges
from .range_arithmetic import ANY, exactly

_OWN_SEGMENTS = (Segment.GROUP, Segment.PRIVATE)
"""Memory that nothing reads but the kernel itself."""


MOST_PAIRS = 20_000
"""Loads of a piece times values that are stored there, above which it takes time to follow them."""


@dataclass(frozen=True, eq=False)
class Piece:
    """The accesses of a piece of memory."""

    accesses: Sequence[Op]

    @cached_property
    def loads(self) -> tuple[Op, ...]:
        """The loads."""
        return tuple(op for op in self.accesses if op.ins.row.is_load)

    @cached_property
    def stores(self) -> tuple[Op, ...]:
        """The stores."""
        return tuple(op for op in self.accesses if op.ins.row.is_store)

    @cached_property
    def has_one_size(self) -> bool:
        """Whether they are loads and stores of whole registers of one size."""
        rows = [op.ins.row for op in self.accesses]
        sizes = {row.type.bits for row in rows if row.type is not None}
        return len(sizes) == 1 and sizes < {32, 64} and not any(row.is_atomic for row in rows)


def pieces_of(ssa: Ssa, ranges: Ranges | None) -> list[Piece]:
    """Return the pieces of group and private memory by the ranges of places, if these are given."""
    found = []
    for segment in _OWN_SEGMENTS:
        accesses = [
            op
            for ops in ssa.ops.values()
            for op in ops
            if op.ins.row.is_memory and op.ins.row.segment is segment
        ]
        ends = sorted(((*_reach(op, ranges), op) for op in accesses), key=lambda end: end[:2])
        piece: list[Op] = []
        last = 0
        for low, high, op in ends:
            if piece and low >= last:
                found.append(Piece(piece))
                piece = []
            piece.append(op)
            last = max(last, high)
        if piece:
            found.append(Piece(piece))
    return found


def stored_values(pieces: Sequence[Piece]) -> dict[Op, list[Value]]:
    """Return what each load may load besides a zero, where that is as it was stored."""
    found = {}
    for piece in pieces:
        values = list(dict.fromkeys(store.args[0] for store in piece.stores))
        if piece.has_one_size and len(values) * len(piece.loads) <= MOST_PAIRS:
            found.update((load, values) for load in piece.loads)
    return found


def _reach(op: Op, ranges: Ranges | None) -> tuple[int, int]:
    """Return the first place that an access may have, and the one after its last."""
    base, offset = op.base, op.address.offset
    found = exactly(0) if base is None else ANY if ranges is None else ranges.of(base, op.node)
    return found.low + offset, found.high + offset + op.element.size
