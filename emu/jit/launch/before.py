"""What buffers held before a launch that may have to start over."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from ....isa.program import Kernel
from ...memory import Memory
from ..runtime.context import BASE, SIZE, WRITABLE
from ..runtime.spare import Spare
from .sharing import Accesses, pointer_at

if TYPE_CHECKING:
    from .table import Table

COPIED_BEFORE = 1 << 18
"""Bytes of buffers that are worth copying before a launch that may turn out to wait."""

_SPARE = Spare()


class Before:
    """A copy of the buffers of a table, by default of all; of those at `bases` if given."""

    def __init__(self, table: Table, bases: Collection[int] | None = None) -> None:
        self._hosts = [
            (host, bool(table.rows[base][WRITABLE]))
            for base, host in zip(table.rows, table.hosts, strict=True)
            if bases is None or base in bases
        ]
        self._room = _SPARE.take(sum(host.size for host, _ in self._hosts))
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
        _SPARE.give(self._room)


def changed_by(
    kernel: Kernel, kernargs: np.ndarray, table: Table, memory: Memory
) -> frozenset[int]:
    """Return the bases of the buffers that a kernel stores to, by the pointers that it is given.

    All of them if it also stores by other pointers. A pointer may still leave its buffer.
    """
    accesses = Accesses.of(kernel)
    bases: set[int] = set()
    for access in (*accesses.stores, *accesses.atomics):
        if not access.pointers:
            return frozenset(table.rows)
        for offset in access.pointers:
            row = table.row_at(pointer_at(kernargs.data, offset), memory)
            if row[SIZE]:
                bases.add(row[BASE])
    return frozenset(bases)
