"""Where arrays of devices lie in the host's memory: in cache lines, pages, and large pages."""

from __future__ import annotations

import math
from itertools import count
from threading import Lock

import numpy as np

ALIGNED = 64
"""Bytes to which memory of an array is aligned: a line of a cache, and the widest vector."""

PAGE = 4096
SHIFT = 11 * 64
"""Bytes by which arrays begin further in their page than the array before."""

FIRST_PAGES, PAGES_APART = 8, 5
"""In how many pages of large ones arrays begin in turn, and how far the next one is further on.

Those that share large pages begin so many pages after the array before, or after their block does.
Pages of a large page follow each other in the host's memory. Equal places of arrays whose size is a
power of two would lie in the same sets of a second-level cache, with what the host fetches ahead of
each. A launch that goes through rows far apart has many lines in a set already.
"""

HUGE = 1 << 21
"""Bytes of a large page, which many hosts give to memory that begins and ends at multiples of it.

An access that strides over rows, or a launch of several arrays, then finds its pages in the TLB.
"""

LARGE = HUGE
"""Bytes from which on an array has large pages of its own.

With the room to align it, it is memory of 4 MiB, from which on NumPy asks the host for large pages.
"""

SHARED = 1 << 18
"""Bytes from which on smaller arrays share large pages.

Pages of small ones stay in the TLB, and small ones may be made and freed often: malloc is faster.
"""

BLOCK = 2 * HUGE
"""Bytes of a block of large pages. Those that no array has touched take no memory.

An array that is kept keeps the rest of its block, so this is not larger.
"""

AFTER = 512
"""Bytes between the end of an array and that of its page, at least.

Lanes that do not run may load them (jit/kernel/loops/idle.py).
"""

_SHIFTS = count()


class Pages:
    """Large pages that arrays share. A block that is full is freed with the last of its arrays."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._block = np.empty(0, np.uint8)
        self._used = 0

    def take(self, size: int, shift: int) -> np.ndarray:
        """Return zeroed bytes, `shift` after the begin of a page. None is given out twice."""
        with self._lock:
            start = self._used + -self._used % PAGE + shift
            if start + size > self._block.size:
                self._block = _zeros(BLOCK, HUGE)
                start = shift
            self._used = start + size
            return self._block[start : self._used]


_PAGES = Pages()


def host_array(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return an array of zeros that begins at a multiple of `ALIGNED` bytes of host memory.

    Arrays of a page and more begin at different places of one: loads and stores of equal places in
    two pages wait for each other in most CPUs.
    """
    size = math.prod(shape) * dtype.itemsize
    number = next(_SHIFTS) if size >= PAGE else 0
    shift = number * SHIFT % PAGE
    if size >= SHARED:
        shift = (shift + _missing(shift + size)) % PAGE + number * PAGES_APART % FIRST_PAGES * PAGE
    if SHARED <= size < LARGE:
        memory = _PAGES.take(size, shift)
    else:
        unit = HUGE if size >= LARGE else ALIGNED
        memory = _zeros(-(-(size + shift + AFTER) // unit) * unit, unit, shift, size)
    return memory.view(dtype).reshape(shape)


def _missing(end: int) -> int:
    """Return `AFTER` if memory ends nearer to the end of its page, else 0."""
    return AFTER if -end % PAGE < AFTER else 0


def _zeros(room: int, unit: int, shift: int = 0, size: int | None = None) -> np.ndarray:
    """Return zeroed bytes that begin at a multiple of `unit`; its last pages are not touched.

    With a `size`, so many of them from `shift` on, or from `AFTER` bytes later.
    """
    memory = np.zeros(room + unit, np.uint8)
    address = memory.ctypes.data
    start = -address % unit
    if size is None:
        return memory[start : start + room]
    start += shift
    start += _missing(address + start + size)
    return memory[start : start + size]
