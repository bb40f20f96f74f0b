"""Group memory of which each word belongs to one work-item, which alone stores to it.

The levels of a stencil are so: each work-item stores to its own cell, where data or the level let
it, and loads those of its neighbours. Where a workgroup is one warp, such cells are vectors that
stores blend and loads permute, whatever lanes run. In memory a load of neighbours begins in the
words of one masked store and ends in those of another, and waits for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ....isa.types import Segment
from ..flow.order import START
from ..values.item_numbers import KnownNumbers
from ..values.ssa import Const, Op
from ..warps.uniformity import Shapes
from .forwarded import (
    NONE,
    WORD,
    Access,
    Forwarded,
    Lanes,
    OwnStore,
    Sources,
    shuffles_of,
)

MOST_SOURCES = 2
"""Vectors from which one vector of a load is made."""

MOST_REGISTERS = 32
"""Vector registers that all cells have together: the rest would go through memory."""

REGISTER = 64
"""Bytes of a vector register."""

Places = NDArray[np.int64]
"""Work-item -> the byte that it accesses."""


@dataclass(frozen=True)
class _Found:
    """Where the work-items access group memory, and which of them may do so."""

    places: Places
    lanes: Lanes


def own_words(shapes: Shapes, total: int) -> Forwarded:
    """Return the loads of `total` bytes of group memory that take the words of work-items.

    Either all loads and stores are of such words, or none are found. The workgroup is one warp.
    """
    flow, facts = shapes.flow, shapes.facts
    if not facts.one_warp or flow.refill or not all(map(flow.has_one_entry, flow.loops)):
        return Forwarded()
    if not (facts.whole or facts.group_size[1:] == (1, 1)):
        return Forwarded()  # in a smaller workgroup lanes are in other columns
    found = _accesses(shapes)
    if found is None or not _waits_in_loop(shapes, found):
        return Forwarded()
    size = next(op.element.size for op in found)
    if any(op.element.size != size for op in found) or size % WORD:
        return Forwarded()
    cells = _Cells(total, size)
    stores = [op for op in found if not op.ins.row.is_load]
    for op in sorted(stores, key=lambda op: -int(found[op].lanes.sum())):
        if not cells.add(op, found[op]):
            return Forwarded()
    if cells.registers() > MOST_REGISTERS:
        return Forwarded()
    lanes = facts.width
    loads: dict[Access, Sources] = {}
    outside: set[Op] = set()
    for op, accessed in found.items():
        if op.ins.row.is_load:
            sources = cells.sources(accessed, lanes)
            if sources is None:
                return Forwarded()
            loads[Access(op)] = sources
            if (accessed.lanes & ~cells.inside(accessed.places)).any():
                outside.add(op)
    return Forwarded(loads, frozenset(stores), own=cells.stores, outside=frozenset(outside))


def _accesses(shapes: Shapes) -> Mapping[Op, _Found] | None:
    """Return each access of group memory; None if its places are not known, or if it is atomic."""
    flow, ssa = shapes.flow, shapes.ssa
    numbers = KnownNumbers(shapes.results)
    everyone = np.ones(prod(shapes.facts.group_size), np.bool_)
    arriving: dict[int, Lanes] = {}
    found: dict[Op, _Found] = {}
    for number in flow.order:
        lanes = arriving.get(number, everyone if number == START else ~everyone)
        for op in ssa.ops.get(number, ()):
            row = op.ins.row
            if not (row.is_memory and row.segment is Segment.GROUP):
                numbers.calculate(op)
                continue
            base = numbers.of(Const(op.cls, 0) if op.base is None else op.base)
            if base is None or row.is_atomic:
                return None
            found[op] = _Found(base.astype(np.int64) + op.address.offset, lanes)
        successors = flow.nodes[number].successors
        ways = [lanes] * len(successors)
        condition = numbers.of(ssa.conditions[number]) if len(successors) > 1 else None
        if condition is not None:
            taken = condition.astype(np.bool_)
            ways = [lanes & ~taken, lanes & taken]
        for target, some in zip(successors, ways, strict=True):
            if flow.position[target] > flow.position[number]:
                arriving[target] = arriving.get(target, ~everyone) | some
    return found


def _waits_in_loop(shapes: Shapes, found: Mapping[Op, _Found]) -> bool:
    """Return whether a loop both stores and loads, so that its loads would wait for stores."""
    return any(
        len({op.ins.row.is_load for op in found if op.node in loop.nodes}) == len((True, False))
        for loop in shapes.flow.loops
    )


class _Cells:
    """The work-item that each word belongs to, and the store that names it and its neighbours."""

    def __init__(self, total: int, size: int) -> None:
        self._total, self._size = total, size
        self._store_of = np.full(total, NONE)
        self._lane_of = np.zeros(total, np.int64)
        self.names: list[Op] = []
        self.stores: dict[Op, OwnStore] = {}

    def inside(self, places: Places) -> Lanes:
        """Return which places are in group memory, and aligned."""
        return (places >= 0) & (places <= self._total - self._size) & (places % self._size == 0)

    def add(self, op: Op, accessed: _Found) -> bool:
        """Note a store; return whether each of its words has one work-item only."""
        lanes = np.flatnonzero(accessed.lanes)
        places = accessed.places[lanes]
        if not self.inside(places).all() or len({*places.tolist()}) < len(places):
            return False
        names = {*self._store_of[places].tolist()}
        if len(names) > 1 or (names != {NONE} and (self._lane_of[places] != lanes).any()):
            return False
        if not names or NONE in names:
            names = {len(self.names)}
            self.names.append(op)
            self._store_of[places], self._lane_of[places] = len(self.names) - 1, lanes
        self.stores[op] = OwnStore(self.names[names.pop()], accessed.lanes)
        return True

    def registers(self) -> int:
        """Return the vector registers that all words have."""
        chunk = REGISTER // self._size
        named = self._store_of != NONE
        return len({*zip(self._store_of[named], self._lane_of[named] // chunk, strict=True)})

    def sources(self, accessed: _Found, width: int) -> Sources | None:
        """Return the cells of a load, for `width` lanes; None if that takes many permutations.

        Lanes that are outside have none: they trap.
        """
        here = accessed.lanes & self.inside(accessed.places)
        places = accessed.places[here]
        store_of, lane_of, zero = np.full(width, NONE), np.zeros(width, np.int64), None
        store_of[: len(here)][here] = self._store_of[places]
        lane_of[: len(here)][here] = self._lane_of[places]
        if (self._store_of[places] == NONE).any():
            zero = np.zeros(width, np.bool_)
            zero[: len(here)][here] = self._store_of[places] == NONE
        chunk = REGISTER // self._size
        used = [at for at in range(len(self.names)) if (store_of == at).any()]
        if not used or shuffles_of(Sources((), store_of, lane_of), chunk, MOST_SOURCES) is None:
            return None
        positions = np.full(len(self.names) + 1, NONE)
        positions[used] = np.arange(len(used))
        stores = tuple(Access(self.names[at]) for at in used)
        return Sources(stores, positions[store_of], lane_of, zero)
