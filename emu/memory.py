"""The simulated global address space: buffers that are NumPy arrays, and gaps between them.

Addresses are deterministic: buffers lie in order of creation, page 0 is unmapped, a freed range is
never used again, and host addresses never show. At least `GAP` unmapped bytes separate two
buffers, so a small overrun never lands in a neighbour.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

CODE_BASE = 0x1_0000
"""Where the code of a program lies, for the instruction cache of the timing layer."""

FIRST_BUFFER = 0x1000_0000
GAP = 4096
ALIGNMENT = 256


@dataclass(eq=False, slots=True)
class Buffer:
    """A range of simulated memory over the bytes of a host array.

    `host` is a one-dimensional uint8 array of `size` bytes; the kernel's stores land in it at once.
    A freed buffer keeps its range and lets go of the host's memory.
    """

    name: str
    base: int
    host: np.ndarray
    writable: bool = True
    alive: bool = True
    size: int = -1
    """Bytes; taken from `host` unless given."""
    _views: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.size < 0:
            self.size = self.host.size

    @property
    def end(self) -> int:
        """The first address behind the buffer."""
        return self.base + self.size

    def view(self, dtype: str) -> np.ndarray:
        """The whole elements of the buffer as a one-dimensional array of `dtype`, not a copy."""
        view = self._views.get(dtype)
        if view is None:
            itemsize = np.dtype(dtype).itemsize
            whole = self.size // itemsize * itemsize
            view = self._views[dtype] = self.host[:whole].view(dtype)
        return view


class Memory:
    """All buffers of a device, live and freed, by address."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self._bases: list[int] = []
        self._next = FIRST_BUFFER

    def add(self, host: np.ndarray, name: str, *, writable: bool = True) -> Buffer:
        """Map the bytes of a C-contiguous array at the next free address."""
        data = host.reshape(-1).view(np.uint8) if host.size else np.empty(0, np.uint8)
        buffer = Buffer(name, self._next, data, writable)
        self.buffers.append(buffer)
        self._bases.append(buffer.base)
        self._next = -(-(buffer.end + GAP) // ALIGNMENT) * ALIGNMENT
        return buffer

    def free(self, buffer: Buffer) -> None:
        """Unmap a buffer; its addresses trap from now on and are never used again."""
        buffer.alive = False
        buffer.host = np.empty(0, np.uint8)
        buffer._views.clear()

    def find(self, address: int, size: int = 1) -> Buffer | None:
        """The buffer, live or freed, that holds all of `size` bytes from `address` on."""
        index = bisect_right(self._bases, address) - 1
        if index < 0:
            return None
        buffer = self.buffers[index]
        return buffer if address + size <= buffer.end else None

    def nearest(self, address: int) -> Buffer | None:
        """The live buffer whose range is closest to `address`."""
        live = [b for b in self.buffers if b.alive]
        return min(
            live,
            key=lambda b: max(b.base - address, address - (b.end - 1), 0),
            default=None,
        )

    def copy(self) -> Memory:
        """The same address space over copies of all bytes."""
        twin = Memory()
        twin.buffers = [
            Buffer(b.name, b.base, b.host.copy(), b.writable, b.alive, b.size) for b in self.buffers
        ]
        twin._bases = list(self._bases)
        twin._next = self._next
        return twin
