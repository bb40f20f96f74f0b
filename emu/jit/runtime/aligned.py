"""Host memory whose vectors lie in one cache line each."""

from __future__ import annotations

import numpy as np

LINE = 64
"""Bytes of a cache line, and of the widest vector."""


def aligned_bytes(count: int) -> np.ndarray:
    """Return `count` zero bytes (uint8) that begin at a multiple of a cache line.

    A vector that crosses lines takes two accesses: NumPy's own arrays begin anywhere.
    """
    raw = np.zeros(count + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + count]
