"""The buffers of a device, as native code looks them up: a row of slots for each."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping
from copy import copy
from functools import cached_property
from itertools import count, pairwise

import numpy as np

from ...memory import Memory, changing
from ..runtime.context import (
    ATOMICS_ONLY,
    BASE,
    BUFFER_SLOTS,
    DELTA,
    EVERYTHING,
    LOADS_ONLY,
    SIZE,
    STORES_ONLY,
    WRITABLE,
    buffer_row,
)

_NOWHERE = (0,) * BUFFER_SLOTS
_SERIALS = count()


class Table:
    """The live buffers of a memory, as native code looks them up."""

    def __init__(self, memory: Memory) -> None:
        self.version = memory.version
        self.serial = next(_SERIALS)
        """A number that no other table has, whatever memory it describes."""
        self.current = array("q", [1])
        """1 as long as this is the table of its memory: native code looks there."""
        self.hosts: list[np.ndarray] = []
        self.rows: dict[int, tuple[int, ...]] = {}
        for buffer in [buffer for buffer in list(memory.buffers) if buffer.alive]:
            host = buffer.host
            # Another thread may free a buffer meanwhile, which takes its host memory away.
            if buffer.size and host.size == buffer.size:
                self.hosts.append(host)
                self.rows[buffer.base] = buffer_row(buffer, host)
        self.size = sum(host.size for host in self.hosts)
        """Bytes in all of them."""
        self._pack()

    @classmethod
    def of(cls, memory: Memory) -> Table:
        """Return the current table of a memory, a new one if buffers have changed."""
        table = memory.table
        if table is None or table.version != memory.version:
            with changing:
                table = memory.table
                if table is None:
                    table = memory.table = Table(memory)
        return table

    @cached_property
    def overlaps(self) -> bool:
        """Whether some byte of the host's memory belongs to two buffers."""
        starts = sorted((row[BASE] + row[DELTA], row[SIZE]) for row in self.rows.values())
        return any(start + size > after for (start, size), (after, _) in pairwise(starts))

    def restricted(self, stored: Collection[int], counted: Collection[int]) -> Table:
        """Return a table for threads that tests accesses to buffers, given by their addresses.

        `stored` buffers take stores only, `counted` ones atomics only, all others loads only.
        """
        rights = {base: STORES_ONLY for base in stored} | {base: ATOMICS_ONLY for base in counted}
        return self._permitting(rights)

    def changed(self, writable: Collection[int]) -> Table:
        """Return a table in which only the buffers at these bases may be written."""
        return self._permitting({base: EVERYTHING for base in writable})

    def _permitting(self, rights: Mapping[int, int]) -> Table:
        """Return a table whose buffers permit this if they may be written; others loads only."""
        twin = copy(self)
        twin.serial = next(_SERIALS)
        twin.rows = {
            base: (*row[:WRITABLE], rights.get(base, LOADS_ONLY) if row[WRITABLE] else LOADS_ONLY)
            for base, row in self.rows.items()
        }
        twin._pack()
        # A parameter's buffer is multiplied by this.
        twin.rows = {
            base: (*row[:WRITABLE], min(row[WRITABLE], EVERYTHING))
            for base, row in twin.rows.items()
        }
        return twin

    def _pack(self) -> None:
        self.slots = array("q", [slot for row in self.rows.values() for slot in row] or _NOWHERE)
        self.place = self.slots.buffer_info()[0], len(self.rows)
        """Host address of the rows, and their number."""

    def row_at(self, address: int, memory: Memory | None) -> tuple[int, ...]:
        """Return the slots of the buffer that a pointer points into; zeros if it has none.

        Without `memory` the pointer is the start of a buffer.
        """
        row = self.rows.get(address)
        if row is None:
            buffer = memory.find(address) if memory is not None else None
            row = self.rows.get(buffer.base, _NOWHERE) if buffer is not None else _NOWHERE
        return row
