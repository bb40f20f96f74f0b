"""A dictionary of limited size that drops its least recently used keys."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

KEPT = 2048
"""The most kernels whose code is kept while nothing else holds it: memory mappings are limited."""


class Recent(OrderedDict[K, V], Generic[K, V]):
    """A dictionary of at most `limit` keys. Threads may share it."""

    def __init__(self, limit: int = KEPT) -> None:
        super().__init__()
        self.limit = limit

    def find(self, key: K) -> V | None:
        """Return the value of a key, or None; this counts as a use of the key."""
        found = self.get(key)
        if found is not None:
            with suppress(KeyError):  # another thread may have removed it
                self.move_to_end(key)
        return found

    def keep(self, key: K, value: V) -> V:
        """Set the value of a key and return it."""
        self[key] = value
        while len(self) > self.limit:
            with suppress(KeyError):
                self.popitem(last=False)
        return value
