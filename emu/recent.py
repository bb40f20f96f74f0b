"""A dictionary of limited size that drops its least recently used keys."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

KEPT = 2048
"""The most kernels whose code is kept while nothing else holds it: memory mappings are limited."""


class Recent(OrderedDict[K, V], Generic[K, V]):
    """A dictionary of at most `limit` keys; `forget` gets each value that it drops.

    Threads may share it.
    """

    def __init__(self, limit: int = KEPT, forget: Callable[[V], object] | None = None) -> None:
        super().__init__()
        self.limit = limit
        self.forget = forget

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
                _, dropped = self.popitem(last=False)
                if self.forget is not None:
                    self.forget(dropped)
        return value
