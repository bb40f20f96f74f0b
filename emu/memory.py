"""The simulated global address space: buffers that are NumPy arrays, and gaps between them.

Addresses are deterministic: buffers lie in order of creation, page 0 is unmapped, a freed range is
never used again, and host addresses are never visible. At least `GAP` unmapped bytes separate two
buffers, so a small overrun never lands in a neighbour.

Threads may share a memory: buffers are appended to the list, and a new list replaces it when some
are forgotten.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .jit.launch.plan import Table

CODE_BASE = 0x1_0000
"""Address of a program's code, for the instruction cache of the timing layer."""

FIRST_BUFFER = 0x1000_0000
GAP = 4096
ALIGNMENT = 256

FREED_KEPT = 256
"""How many freed buffers to remember at least, so that an access to one is reported as such.

Each launch that mixes NumPy arrays with a device's maps and frees its own; they must not pile up.
"""

_base = attrgetter("base")
changing = Lock()


@dataclass(eq=False, slots=True)
class Buffer:
    """A range of simulated memory over the bytes of a host array.

    `host` is a one-dimensional uint8 array of `size` bytes; the kernel's stores land in it at once.
    A freed buffer keeps its range and drops the host's memory.
    """

    name: str
    base: int
    host: np.ndarray
    writable: bool = True
    alive: bool = True
    size: int = -1
    """Bytes; taken from `host` unless given."""
    given: bool = True
    """Whether the host gave the content; else it was allocated by `Device.empty`."""
    _views: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.size < 0:
            self.size = self.host.size

    @property
    def end(self) -> int:
        """The first address after the buffer."""
        return self.base + self.size

    def view(self, dtype: str) -> np.ndarray:
        """Return the buffer's whole elements as a one-dimensional array of `dtype`, not a copy."""
        view = self._views.get(dtype)
        if view is None:
            itemsize = np.dtype(dtype).itemsize
            whole = self.size // itemsize * itemsize
            view = self._views[dtype] = self.host[:whole].view(dtype)
        return view


class Memory:
    """All buffers of a device by address: the live ones, and the last freed ones."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        """In ascending order."""
        self.created = 0
        """Number of buffers ever created."""
        self.version = 0
        """Incremented by every change, for data derived from `buffers`."""
        self.table: Table | None = None
        """Native code's table of buffers. Every change drops it, as it keeps host memory alive."""
        self._freed: list[Buffer] = []
        self._next = FIRST_BUFFER

    def add(self, host: np.ndarray, name: str, *, writable: bool = True) -> Buffer:
        """Map the bytes of a C-contiguous array at the next free address."""
        data = host.reshape(-1).view(np.uint8) if host.size else np.empty(0, np.uint8)
        with changing:
            buffer = Buffer(name, self._next, data, writable)
            self._next = -(-(buffer.end + GAP) // ALIGNMENT) * ALIGNMENT
            self.buffers.append(buffer)
            self.created += 1
            self._changed()
        return buffer

    def free(self, buffer: Buffer) -> None:
        """Unmap a buffer; its addresses trap from now on and are never used again."""
        with changing:
            if not buffer.alive:
                return
            buffer.alive = False
            buffer.host = np.empty(0, np.uint8)
            buffer._views.clear()
            self._freed.append(buffer)
            if len(self._freed) > 2 * FREED_KEPT:
                forgotten = {b.base for b in self._freed[:-FREED_KEPT]}
                self._freed = self._freed[-FREED_KEPT:]
                self.buffers = [b for b in self.buffers if b.base not in forgotten]
            self._changed()

    def __getstate__(self) -> dict[str, object]:
        """Return the state for copies and pickles, without the table, which has host addresses."""
        return {**self.__dict__, "table": None}

    def _changed(self) -> None:
        self.version += 1
        table, self.table = self.table, None
        if table is not None:
            table.current[0] = 0

    def find(self, address: int, size: int = 1) -> Buffer | None:
        """Return the buffer, live or freed, that holds all of `size` bytes from `address` on."""
        buffers = self.buffers
        index = bisect_right(buffers, address, key=_base) - 1
        if index < 0:
            return None
        buffer = buffers[index]
        return buffer if address + size <= buffer.end else None

    def nearest(self, address: int) -> Buffer | None:
        """Return the live buffer whose range is closest to `address`."""
        live = [b for b in self.buffers if b.alive]
        return min(
            live,
            key=lambda b: max(b.base - address, address - (b.end - 1), 0),
            default=None,
        )

    def copy(self, contents: Mapping[int, np.ndarray] | None = None) -> Memory:
        """Return the same address space over copies of all bytes.

        `contents` maps base addresses to bytes that some buffers get in place of copies.
        """
        twin = Memory()
        supplied = contents or {}
        for b in self.buffers:
            host = supplied[b.base] if b.base in supplied else b.host.copy()
            twin.buffers.append(Buffer(b.name, b.base, host, b.writable, b.alive, b.size, b.given))
        twin.created = self.created
        twin._freed = [b for b in twin.buffers if not b.alive]
        twin._next = self._next
        return twin
