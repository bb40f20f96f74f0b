"""Host memory whose vectors lie in one cache line each."""

from __future__ import annotations

import numpy as np

LINE = 64
"""Bytes of a cache line, and of the widest vector."""

HUGE = 1 << 21
"""Bytes of a huge page of the host."""


def aligned_bytes(count: int) -> np.ndarray:
    """Return `count` zero bytes (uint8) that begin at a multiple of a cache line.

    A vector that crosses lines takes two accesses: NumPy's own arrays begin anywhere.
    """
    raw = np.zeros(count + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + count]


def huge_bytes(count: int) -> np.ndarray:
    """Return `count` zero bytes (uint8) in huge pages, if the host has them.

    NumPy asks for these where an array has twice as much. Less than a half is not worth one.
    """
    if count < HUGE // 2:
        return aligned_bytes(count)
    raw = np.zeros(HUGE + -(-count // HUGE) * HUGE, np.uint8)
    start = -raw.ctypes.data % HUGE
    return raw[start : start + count]
