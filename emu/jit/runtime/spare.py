"""Memory of the last launch for the next one: the pages of new memory cost more than its use."""

from __future__ import annotations

import numpy as np

from .aligned import aligned_bytes

LARGEST = 1 << 26
"""Bytes of the largest memory that is kept."""


class Spare:
    """Memory that one launch after the other uses; another one at the same time gets new memory."""

    def __init__(self) -> None:
        self._kept: list[np.ndarray] = []

    def take(self, size: int) -> np.ndarray:
        """Return at least `size` bytes (uint8) of any content, which begin at a cache line."""
        try:
            memory = self._kept.pop()
        except IndexError:
            return aligned_bytes(size)
        return memory if memory.size >= size else aligned_bytes(size)

    def give(self, memory: np.ndarray) -> None:
        """Keep memory that is no longer used."""
        if memory.size <= LARGEST:
            self._kept[:] = [memory]
