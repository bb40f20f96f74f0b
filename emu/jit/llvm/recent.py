"""What was made and asked for last, so that a process may go through any number of kernels."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

KEPT = 2048
"""Kernels whose code is kept where nobody else holds it: mappings of memory are limited."""


class Recent(OrderedDict[K, V], Generic[K, V]):
    """A dictionary of at most `limit` keys that forgets the one that was asked for longest ago."""

    def __init__(self, limit: int = KEPT) -> None:
        super().__init__()
        self.limit = limit

    def find(self, key: K) -> V | None:
        """What was made for a key, or None; it stays longer for being asked for."""
        found = self.get(key)
        if found is not None:
            with suppress(KeyError):  # another thread may have made it go
                self.move_to_end(key)
        return found

    def keep(self, key: K, value: V) -> V:
        """Keep what was made for a key, and answer it."""
        self[key] = value
        while len(self) > self.limit:
            with suppress(KeyError):
                self.popitem(last=False)
        return value
