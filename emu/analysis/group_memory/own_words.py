"""Group memory of which each word belongs to one work-item, which alone stores to it.

The levels of a stencil are so: each work-item stores to its own cell, where data or the level let
it, and loads those of its neighbours. Where a workgroup is one warp, such cells are vectors that
stores blend and loads permute, whatever lanes run. In memory a load of neighbours begins in the
words of one masked store and ends in those of another, and waits for both.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ....isa.types import Segment
from ..values.item_numbers import KnownNumbers, Results
from ..values.ssa import Const, Op
from ..warps.uniformity import Shapes
from .forwarded import NONE, WORD, Access, Forwarded, Sources, shuffles_of

MOST_SOURCES = 2
"""Vectors from which one vector of a load is made."""

MOST_REGISTERS = 32
"""Vector registers that all cells have together: the rest would go through memory."""

REGISTER = 64
"""Bytes of a vector register."""

Places = NDArray[np.int64]
"""Work-item -> the byte that it accesses."""


def own_words(shapes: Shapes, total: int) -> Forwarded:
    """Return the loads of `total` bytes of group memory that take the words of work-items.

    Either all loads and stores are of such words, or none are found. The workgroup is one warp.
    """
    if not shapes.facts.one_warp or not shapes.flow.loops:
        return Forwarded()
    found = _accesses(shapes)
    if found is None:
        return Forwarded()
    stores = {op: places for op, places in found.items() if not op.ins.row.is_load}
    loads = {op: places for op, places in found.items() if op.ins.row.is_load}
    size = next((op.element.size for op in stores), 0)
    if not loads or any(op.element.size != size for op in found) or size % WORD:
        return Forwarded()
    if not _waits_in_loop(shapes, found):
        return Forwarded()
    cells = _cells(stores, total, size)
    if cells is None:
        return Forwarded()
    lanes = shapes.facts.width
    if len(set(cells.values())) * lanes * size > MOST_REGISTERS * REGISTER:
        return Forwarded()
    sources = _sources(loads, stores, cells, total, lanes)
    if sources is None:
        return Forwarded()
    return Forwarded(sources, frozenset(stores), own=cells)


def _accesses(shapes: Shapes) -> Mapping[Op, Places] | None:
    """Return the places of each access of group memory; None if some are not known, or atomic."""
    numbers = KnownNumbers(Results(shapes.facts.group_size, whole=True))
    found: dict[Op, Places] = {}
    for number in shapes.flow.order:
        for op in shapes.ssa.ops.get(number, ()):
            row = op.ins.row
            if not (row.is_memory and row.segment is Segment.GROUP):
                numbers.calculate(op)
                continue
            base = numbers.of(Const(op.cls, 0) if op.base is None else op.base)
            if base is None or row.is_atomic:
                return None
            found[op] = base.astype(np.int64) + op.address.offset
    return found


def _waits_in_loop(shapes: Shapes, found: Mapping[Op, Places]) -> bool:
    """Return whether a loop both stores and loads, so that its loads would wait for stores."""
    return any(
        len({op.ins.row.is_load for op in found if op.node in loop.nodes}) == len((True, False))
        for loop in shapes.flow.loops
    )


def _cells(stores: Mapping[Op, Places], total: int, size: int) -> Mapping[Op, Op] | None:
    """Return each store's cells, named by the first store to them; None if lanes share some."""
    cells: dict[Op, Op] = {}
    firsts: dict[bytes, Op] = {}
    taken = np.zeros(total, np.bool_)
    for op, places in stores.items():
        first = firsts.setdefault(places.tobytes(), op)
        cells[op] = first
        if first is not op:
            continue
        if not (0 <= places.min() and places.max() <= total - size and not (places % size).any()):
            return None
        if taken[places].any() or len({*places.tolist()}) < len(places):
            return None
        taken[places] = True
    return cells


def _sources(
    loads: Mapping[Op, Places],
    stores: Mapping[Op, Places],
    cells: Mapping[Op, Op],
    total: int,
    lanes: int,
) -> Mapping[Access, Sources] | None:
    """Return the cells of each load, for `lanes` lanes; None if that takes too many permutations.

    Lanes that are outside have none: they trap.
    """
    names = list(dict.fromkeys(cells.values()))
    store_of, lane_of = np.full(total, NONE), np.zeros(total, np.int64)
    for at, name in enumerate(names):
        store_of[stores[name]], lane_of[stores[name]] = at, np.arange(len(stores[name]))
    found: dict[Access, Sources] = {}
    for op, places in loads.items():
        size = op.element.size
        inside = (places >= 0) & (places <= total - size) & (places % size == 0)
        of_load, lanes_of = np.full(lanes, NONE), np.zeros(lanes, np.int64)
        of_load[: len(places)][inside] = store_of[places[inside]]
        lanes_of[: len(places)][inside] = lane_of[places[inside]]
        zero = np.zeros(lanes, np.bool_)
        zero[: len(places)][inside] = store_of[places[inside]] == NONE
        shuffles = shuffles_of(Sources((), of_load, lanes_of), REGISTER // size, MOST_SOURCES)
        if shuffles is None:
            return None
        used = [at for at in range(len(names)) if (of_load == at).any()]
        for position, at in enumerate(used):
            of_load[of_load == at] = position
        if not used:
            return None
        accesses = tuple(Access(names[at]) for at in used)
        found[Access(op)] = Sources(accesses, of_load, lanes_of, zero if zero.any() else None)
    return found
