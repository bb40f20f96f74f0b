"""Owners and marks of places in memory, of a launch that watches accesses.

See kernel/memory/watched/owners.py and kernel/memory/watched/marks.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np

from .....isa.program import Kernel
from ....analysis.counting.independence import Reliance
from ....geometry import Geometry
from ...kernel.memory.watched.owners import NUMBER, bytes_of_owners
from ...runtime.context import BASE, SIZE, Slot, owners_slot, param_slot
from ...runtime.spare import SpareOf

LINE = 64
"""Bytes in which the owners of a buffer are rounded up."""


def has_owner_numbers(geometry: Geometry) -> bool:
    """Return whether there are enough numbers for the work-items of a launch."""
    return _items(geometry) < NUMBER // 2


def _items(geometry: Geometry) -> int:
    return geometry.n_groups * prod(geometry.group_size)


def words_of_marks(size: int, unit: int) -> int:
    """Return the words of the marks of `size` bytes: two for 64 places, and for one place more."""
    return 2 * (size // unit // 64 + 2)


class _Buffers:
    """The buffers of which a launch watches places; `context` has them."""

    def __init__(self, kernel: Kernel, relied: Reliance, context: np.ndarray) -> None:
        self._context = context
        self._slots = [
            (param_slot(p, SIZE), param_slot(p, BASE), owners_slot(len(kernel.params), p))
            for p in sorted(relied.owned)
        ]

    def places(self, room: Callable[[int], int]) -> tuple[list[tuple[int, int]], int]:
        """Return (slot, where its buffer's part begins) for each parameter, and how long all are.

        `room` returns how long the part of a buffer of so many bytes is. Parameters may share a
        buffer, and then they share its part.
        """
        context, starts, end = self._context, {}, 0
        for size, base, _ in self._slots:
            if int(context[base]) not in starts:
                starts[int(context[base])] = end
                end += room(int(context[size]))
        return [(slot, starts[int(context[base])]) for _, base, slot in self._slots], end


class _Array:
    """Owners of places; numbers from `next` on are unused."""

    def __init__(self, size: int) -> None:
        self.owners = np.zeros(size // 4, np.uint32)
        self.next = 1

    @property
    def nbytes(self) -> int:
        """The bytes of the owners."""
        return self.owners.nbytes

    def take(self, items: int) -> int:
        """Return the first of as many numbers as there are work-items, and one more."""
        if self.next + items >= NUMBER:
            self.owners[:] = 0
            self.next = 1
        first = self.next
        self.next += items + 1
        return first


_SPARE = SpareOf(_Array)


class Owners:
    """The owners of a launch; `context` has their places."""

    def __init__(
        self, kernel: Kernel, geometry: Geometry, relied: Reliance, context: np.ndarray
    ) -> None:
        self._context = context
        self._unit = relied.unit
        self._items = _items(geometry)
        self._buffers = _Buffers(kernel, relied, context)
        self._array: _Array | None = None
        self.region = 0, 0
        """Nothing is cleared: owners of a launch have other numbers than those before."""
        group = bytes_of_owners(kernel.group_size, relied.group_unit) if relied.group_unit else 0
        self._group_owners = np.zeros(group + LINE, np.uint8)
        context[Slot.GROUP_OWNERS] = self._group_owners.ctypes.data

    def begin_launch(self) -> None:
        """Clear the owners of all places; parameters have the buffers of the launch."""
        places, needed = self._buffers.places(self._room)
        if not needed:
            return
        context, array = self._context, _SPARE.take(needed)
        start = array.owners.ctypes.data
        for slot, place in places:
            context[slot] = start + place
        first = array.take(self._items)
        context[Slot.OWNER] = first
        context[Slot.SHARED_OWNER] = first + self._items
        self._array = array

    def _room(self, size: int) -> int:
        """Return the bytes of the owners of a buffer, in whole lines."""
        return -(-bytes_of_owners(size, self._unit) // LINE) * LINE

    def end_launch(self) -> None:
        """Give the owners back; no thread may still use them."""
        if self._array is not None:
            _SPARE.give(self._array)
            self._array = None


class Marks:
    """The marks of a launch; `context` has their places."""

    def __init__(self, kernel: Kernel, relied: Reliance, context: np.ndarray) -> None:
        self._context = context
        self._unit = relied.unit
        self._buffers = _Buffers(kernel, relied, context)
        self._words = np.zeros(0, np.uint64)
        self._start = 0
        self.region = 0, 0
        """Address and bytes of the marks of the last launch."""

    def begin_launch(self) -> None:
        """Let no place be marked; parameters have the buffers of the launch."""
        places, needed = self._buffers.places(partial(words_of_marks, unit=self._unit))
        if needed > self._words.size:
            self._words = np.zeros(needed, np.uint64)
            self._start = self._words.ctypes.data
        else:
            self._words[:needed] = 0
        self.region = self._start, 8 * needed
        for slot, place in places:
            self._context[slot] = self._start + place * 8

    def end_launch(self) -> None:
        """End a launch; the marks are kept for the next one."""
