"""Launches that count and whose accesses stay in their buffers, so that they are never refused.

Native code refuses such a launch if a pointer leaves its buffer for one that it must not reach
(`counting.guarded`). What it may change is copied before. Where the addresses of all accesses have
bounds (`analysis/ranges/`) inside of their buffers, there is nothing to copy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from ...analysis.counting.independence import Reliance
from ...analysis.ranges.launch_ranges import Ranges
from ...engine import Work
from ...recent import Recent
from ..runtime.context import BASE, SIZE
from .sharing import Access, Accesses

if TYPE_CHECKING:
    from .plan import Table

LITTLE = 1 << 21
"""Bytes up to which a copy is cheap: `Again` copies as many, for any numbers."""

_Buffers = Mapping[int, tuple[int, int]]
"""Place of a pointer among the arguments -> the address and bytes of its buffer."""


class Inside:
    """What has been found for the last launches of a kernel."""

    def __init__(self, relied: Reliance) -> None:
        self._relied = relied
        self._found: Recent[object, tuple[bool, ...]] = Recent(64)
        """Empty for numbers that a launch had once: bounds are found if they come again."""

    def holds(
        self, work: Work, table: Table, changes: Collection[int], *, any_numbers: bool
    ) -> bool:
        """Return whether all accesses that may be refused stay in their buffers.

        With `any_numbers` whatever the numbers among the arguments are. The launch changes the
        buffers at the bases `changes`.
        """
        if self._relied.watched or self._relied.may_fail:
            return False
        buffers: dict[int, tuple[int, int]] = {}
        pointers = []
        for param in work.kernel.params:
            if param.is_pointer:
                address = int.from_bytes(work.kernargs[param.offset : param.offset + 8], "little")
                pointers.append(address)
                row = table.row_at(address, work.memory)
                buffers[param.offset] = row[BASE], row[SIZE]
        key = (*pointers, *buffers.values())
        found = self._found.find(key)
        if found is None:
            found = self._found.keep(key, (self._are_inside(work, buffers, buffers.keys()),))
        if found[0] or any_numbers or sum(table.rows[base][SIZE] for base in changes) <= LITTLE:
            return found[0]
        numbers = key, work.kernargs
        found = self._found.find(numbers)
        if found is None:
            self._found.keep(numbers, ())
            return False
        if not found:
            found = self._found.keep(numbers, (self._are_inside(work, buffers, None),))
        return found[0]

    def _are_inside(self, work: Work, buffers: _Buffers, known: Collection[int] | None) -> bool:
        """Find out where at most the arguments at these places are known."""
        accesses, bounds = Accesses.of(work.kernel), [0, work.geometry.n_groups]
        ranges = Ranges(accesses.guards, work.kernargs, work.geometry, bounds, known)
        loads = (load for load in accesses.loads if load.op.pc in self._relied.loads)
        return all(
            _is_inside(access, ranges, buffers)
            for access in (*accesses.stores, *accesses.atomics, *loads)
        )


def _is_inside(access: Access, ranges: Ranges, buffers: _Buffers) -> bool:
    if len(access.pointers) != 1:
        return False
    (pointer,) = access.pointers
    base, size = buffers[pointer]
    extent = access.extent(ranges)
    if extent is None:
        return False
    return bool(base <= extent.low.min() and extent.high.max() < base + size)
