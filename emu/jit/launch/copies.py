"""Copies of buffers that native code makes before each call of a launch that may start over."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Collection

import numpy as np

from ...memory import Memory
from ..runtime.context import BASE, DELTA, SIZE, WRITABLE


class Copies:
    """Room for copies of the writable buffers among `rows` of a table, taken before each launch."""

    def __init__(self, rows: Collection[tuple[int, ...]]) -> None:
        rows = [row for row in rows if row[WRITABLE]]
        self._room = np.empty(sum(row[SIZE] for row in rows), np.uint8)
        self._bases = [row[BASE] for row in rows]
        self.words = array("q", [len(rows)])
        """How many buffers; for each the addresses of memory and of its copy, and bytes."""
        place = self._room.ctypes.data
        for row in rows:
            self.words.extend((row[BASE] + row[DELTA], place, row[SIZE]))
            place += row[SIZE]

    def place_of(self, base: int) -> int:
        """Return where the address of a buffer's memory is in `words`; 0 if it is not copied."""
        if base not in self._bases:
            return 0
        return self.words.buffer_info()[0] + 8 * (1 + 3 * self._bases.index(base))

    def take(self) -> None:
        """Copy the content of the buffers, as native code does."""
        for i in range(1, len(self.words), 3):
            memory, copy, size = self.words[i : i + 3]
            ctypes.memmove(copy, memory, size)

    def restore(self, memory: Memory) -> None:
        """Put the content back into the buffers of a memory that are still alive."""
        start = 0
        for base, size in zip(self._bases, self.words[3::3], strict=True):
            buffer = memory.find(base)
            if buffer is not None and buffer.alive:
                buffer.host[:] = self._room[start : start + size]
            start += size
