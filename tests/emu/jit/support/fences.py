"""Memory between fences: a page without access after a block, known bytes before it."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE
BEFORE = 0xA5
"""The value of each byte before a block."""


def fenced(size: int, alignment: int = 1) -> np.ndarray:
    """Return bytes that end at a page without access, or as near to it as `alignment` allows."""
    pages = -(-(size + 64) // PAGE)
    block = mmap.mmap(-1, (pages + 1) * PAGE)
    start = np.frombuffer(block, np.uint8)
    fence = start.ctypes.data + pages * PAGE
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(fence), PAGE, 0) != 0:
        raise OSError("mprotect failed")
    at = (pages * PAGE - size) // alignment * alignment
    start[:at] = BEFORE
    return start[at : at + size]


def page() -> np.ndarray:
    """Return a page between two without access."""
    block = mmap.mmap(-1, 3 * PAGE)
    start = np.frombuffer(block, np.uint8)
    for number in (0, 2):
        place = ctypes.c_void_p(start.ctypes.data + number * PAGE)
        if ctypes.CDLL(None).mprotect(place, PAGE, 0) != 0:
            raise OSError("mprotect failed")
    return start[PAGE : 2 * PAGE]


def zeros(shape: int | tuple[int, ...], dtype: Any = float) -> np.ndarray:
    """Replace `numpy.zeros` in the engine: what it allocates ends at a fence as well."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return fenced(size, 64).view(dtype).reshape(shape)
