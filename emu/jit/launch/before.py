"""What buffers held before a launch that may have to start over."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from ..runtime.context import WRITABLE

if TYPE_CHECKING:
    from .plan import Table

LARGEST_SPARE = 1 << 26
"""Bytes of the largest array that is kept for the next launch."""

_SPARE: list[np.ndarray] = []
"""The last array that no launch uses: the pages of a new one cost more than the copy."""


class Before:
    """A copy of the buffers of a table, by default of all; of those at `bases` if given."""

    def __init__(self, table: Table, bases: Collection[int] | None = None) -> None:
        self._hosts = [
            (host, bool(table.rows[base][WRITABLE]))
            for base, host in zip(table.rows, table.hosts, strict=True)
            if bases is None or base in bases
        ]
        self._room = _spare(sum(host.size for host, _ in self._hosts))
        self._copies: list[np.ndarray] = []
        start = 0
        for host, _ in self._hosts:
            copy = self._room[start : start + host.size]
            copy[:] = host
            self._copies.append(copy)
            start += host.size

    def restore(self) -> None:
        """Put the content back."""
        for (host, is_writable), copy in zip(self._hosts, self._copies, strict=True):
            if is_writable:
                host[:] = copy

    def release(self) -> None:
        """Give the copy's memory back; `restore` may no longer be called."""
        self._copies.clear()
        if self._room.size <= LARGEST_SPARE:
            _SPARE[:] = [self._room]


def _spare(size: int) -> np.ndarray:
    """Return an array of at least `size` bytes that no launch uses."""
    try:
        room = _SPARE.pop()
    except IndexError:
        return np.empty(size, np.uint8)
    return room if room.size >= size else np.empty(size, np.uint8)
