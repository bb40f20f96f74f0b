"""Memory of the last launch for the next one: the pages of new memory cost more than its use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import numpy as np

from .aligned import aligned_bytes

LARGEST = 1 << 26
"""Bytes of the largest memory that is kept."""


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


_Memory = TypeVar("_Memory", bound=_Sized)


class SpareOf(Generic[_Memory]):
    """Memory that one launch after the other uses; another one at the same time gets new memory.

    `make` makes new memory of so many bytes.
    """

    def __init__(self, make: Callable[[int], _Memory]) -> None:
        self._make = make
        self._kept: list[_Memory] = []

    def take(self, size: int) -> _Memory:
        """Return at least `size` bytes, as the last launch has left them."""
        try:
            memory = self._kept.pop()
        except IndexError:
            return self._make(size)
        return memory if memory.nbytes >= size else self._make(size)

    def give(self, memory: _Memory) -> None:
        """Keep memory for the next launch."""
        if memory.nbytes <= LARGEST:
            self._kept[:] = [memory]


class Spare(SpareOf[np.ndarray]):
    """The same as arrays of bytes (uint8), which begin at a cache line."""

    def __init__(self) -> None:
        super().__init__(aligned_bytes)
