"""Where an access lands, and when it traps.

An address is the sum of the base register, read as unsigned, and the signed offset of the
instruction: modulo 2^64 for global memory, exact for the other segments, where a sum below zero or
beyond 2^32 is out of bounds. An access is checked in this order, and the first that fails is the
trap:

1. bounds: every byte lies in one buffer (global) or in the segment; where all lie in a buffer that
   was freed, the trap is FREED, else OUT_OF_BOUNDS;
2. alignment: the address is a multiple of the size;
3. for stores and atomics: the buffer is writable.
"""

from __future__ import annotations

from collections.abc import Callable

from ...isa.types import BITS64, Segment
from ..memory import Memory
from ..traps import TrapKind
from .state import Trapped, WorkItem

Bytes = bytearray | memoryview
Locate = Callable[[WorkItem, int], tuple[Bytes, int]]
"""A work-item and an address -> the bytes that hold it and its place among them. Raises Trapped."""


class Segments:
    """The memory of a launch by segment."""

    def __init__(self, memory: Memory, kernargs: bytes, readonly: bytes) -> None:
        self._memory = memory
        self._views = {buffer.base: buffer.host.data for buffer in memory.buffers}
        kernarg_bytes, readonly_bytes = memoryview(kernargs), memoryview(readonly)
        self._bytes: dict[Segment, Callable[[WorkItem], Bytes]] = {
            Segment.GROUP: lambda item: item.group.memory,
            Segment.PRIVATE: lambda item: item.private,
            Segment.KERNARG: lambda item: kernarg_bytes,
            Segment.READONLY: lambda item: readonly_bytes,
        }

    def locator(self, segment: Segment, size: int, *, store: bool) -> Locate:
        """Return the check of accesses of `size` bytes to a segment; `store` covers atomics."""
        if segment is Segment.GLOBAL:
            return self._global(size, store)
        return self._offset(segment, size, store)

    def _global(self, size: int, store: bool) -> Locate:
        find, views = self._memory.find, self._views
        # Where the last access was let pass, others are: most find it there again.
        first, last, view = 1, 0, memoryview(b"")

        def locate(item: WorkItem, address: int) -> tuple[Bytes, int]:
            nonlocal first, last, view
            address &= BITS64
            if first <= address <= last and not address % size:
                return view, address - first
            buffer = find(address, size)
            if buffer is None:
                raise Trapped(TrapKind.OUT_OF_BOUNDS, Segment.GLOBAL, address, size, store)
            if not buffer.alive:
                raise Trapped(TrapKind.FREED, Segment.GLOBAL, address, size, store)
            if address % size:
                raise Trapped(TrapKind.MISALIGNED, Segment.GLOBAL, address, size, store)
            if store and not buffer.writable:
                raise Trapped(TrapKind.READ_ONLY, Segment.GLOBAL, address, size, store)
            first, last, view = buffer.base, buffer.end - size, views[buffer.base]
            return view, address - first

        return locate

    def _offset(self, segment: Segment, size: int, store: bool) -> Locate:
        bytes_of = self._bytes[segment]

        def locate(item: WorkItem, offset: int) -> tuple[Bytes, int]:
            data = bytes_of(item)
            if not 0 <= offset <= len(data) - size:
                raise Trapped(TrapKind.OUT_OF_BOUNDS, segment, offset, size, store)
            if offset % size:
                raise Trapped(TrapKind.MISALIGNED, segment, offset, size, store)
            return data, offset

        return locate
