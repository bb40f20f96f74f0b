"""Launches whose workgroups run as parts, one after the other: those that share no group memory.

A part is one warp, which has its tree in registers, and nothing stops at a barrier. What one part
stores to global memory must not be seen by another one, which might have loaded before a barrier:
such a launch stores to other buffers than it loads from, and a table of buffers refuses accesses
that leave theirs for one of the other kind. Then, and after any trap, what has been stored is put
back, and the launch runs in its own workgroups.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ....isa.program import Kernel
from ...analysis.analysis import analyse
from ...analysis.group_memory.parts import are_apart, step_of_parts
from ...analysis.suitability.barriers import arrive_together, has_barriers
from ...engine import Work
from ...geometry import Dim3, Geometry
from ...recent import Recent
from ..kernel.launch_facts import facts_at, facts_of
from ..runtime.context import BASE, SIZE
from .sharing import Accesses

if TYPE_CHECKING:
    from .table import Table

SIZES = (32, 64)
"""Work-items of a part, which is a warp: in the smallest, lanes wait for the fewest others."""

_FOUND: Recent[tuple[object, ...], tuple[Dim3 | None]] = Recent()


def part_of(kernel: Kernel, geometry: Geometry) -> Dim3 | None:
    """Return the shape of the parts that run as workgroups; None if a workgroup runs as a whole."""
    across, *others = geometry.group_size
    is_whole = geometry.items[0] % across == 0
    if others != [1, 1] or not is_whole or across <= SIZES[0] or not has_barriers(kernel):
        return None
    key = kernel.key, facts_at(geometry, 1)
    found = _FOUND.find(key) or _FOUND.keep(key, (_part_of(kernel, geometry),))
    return found[0]


def _part_of(kernel: Kernel, geometry: Geometry) -> Dim3 | None:
    analysis, across = analyse(kernel), geometry.group_size[0]
    for items in SIZES:
        if across % items or across == items:
            continue
        step = step_of_parts(analysis.ssa, items)
        if step is None:
            continue
        if facts_of(kernel, geometry).one_warp or not arrive_together(
            analysis.ssa, facts_at(geometry, items)
        ):
            return None
        part = replace(geometry, group_size=(items, 1, 1))
        facts = facts_of(kernel, part)
        if not facts.one_warp:
            continue
        shapes, masks = analysis.shapes(facts), analysis.lane_plan(facts).masks
        if are_apart(shapes, masks.runs_with, kernel.group_size, across // items, step):
            return part.group_size
    return None


def most_copied(geometry: Geometry) -> int:
    """Return the bytes that may be copied: a launch takes much longer than for a byte an item."""
    return geometry.n_items


class InParts:
    """The buffers that launches in parts may use."""

    def __init__(self, kernel: Kernel, geometry: Geometry) -> None:
        self._most = most_copied(geometry)
        accesses = Accesses.of(kernel)
        self._loaded = frozenset().union(*(load.pointers for load in accesses.loads))
        self._stored = frozenset().union(*(store.pointers for store in accesses.stores))
        self._offsets = [param.offset for param in kernel.params if param.is_pointer]
        self._is_known = all(store.pointers for store in accesses.stores)

    def of(
        self, work: Work, table: Table, pointers: tuple[int, ...], *, any_numbers: bool
    ) -> tuple[Table | None, frozenset[int] | None]:
        """Return the buffers as a launch may use them, and those that are copied before.

        The first is None if the launch must run in its own workgroups.
        """
        del any_numbers
        rows = (table.row_at(pointer, work.memory) for pointer in pointers)
        buffers = dict(zip(self._offsets, rows, strict=True))

        def bases(offsets: Iterable[int]) -> frozenset[int]:
            return frozenset(buffers[o][BASE] for o in offsets if buffers[o][SIZE])

        stored = bases(self._stored)
        copied = sum(table.rows[base][SIZE] for base in stored)
        if not self._is_known or table.overlaps or copied > self._most:
            return None, None
        if not stored.isdisjoint(bases(self._loaded)):
            return None, None
        return table.restricted(stored, ()), stored

    def passed(self, work: Work, table: Table) -> None:
        """Note that a launch was not refused."""
