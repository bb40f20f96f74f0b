"""Shadow memory: the last accesses of every granule of a memory.

A granule is as large as the smallest access so far. Accesses are aligned, so all accesses before a
smaller one covered whole halves of its granule, and `refine` loses nothing. Neighbouring bytes of a
word are thus apart where bytes are accessed.
"""

from __future__ import annotations

import numpy as np

from .order import Order
from .timeline import ITEM

Array = np.ndarray

MAX_LOST = 1 << 22
"""Accesses after which `Latest` sorts them by granule in any case."""


class Latest:
    """The latest accesses of one kind to each granule, as far as a later one could race with them.

    `first` is the latest; `second` the latest by another work-item than `first`'s; `foreign` the
    latest by another workgroup than `first`'s. With barriers only, an access that is unordered with
    any earlier one is unordered with one of these three. With clocks that is not so, and `older`
    keeps what the three lose: granule -> work-item -> access.
    """

    def __init__(self, count: int, *, is_local: bool) -> None:
        self.is_local = is_local
        self.first = np.zeros(count, np.int64)
        self.second = np.zeros(count, np.int64)
        self.foreign = np.zeros(0 if is_local else count, np.int64)
        self.older: dict[int, dict[int, int]] = {}
        self._lost: list[tuple[Array, Array]] = []
        """(granules, accesses) that belong into `older`, and have not been needed there yet."""
        self._n_lost = 0

    def add(self, cells: Array, me: Array, order: Order) -> None:
        """Note the current accesses."""
        before = self.first[cells]
        self.first[cells] = me
        if before.max() >= order.floor:
            other = (before >= order.floor) & ((before ^ me) & ITEM != 0)
            self._demote(cells, before, np.flatnonzero(other), me, order)
        # Of several accesses of one instruction to one granule, the last is now the first.
        winner = self.first[cells]
        lost = np.flatnonzero(winner != me)
        if lost.size:
            self._demote(cells, me, lost, winner, order)

    def _demote(self, cells: Array, access: Array, at: Array, first: Array, order: Order) -> None:
        """Put the accesses at some positions after `first`, which are of other work-items."""
        if not at.size:
            return
        where, demoted = cells[at], access[at]
        if order.clocks is not None:
            self._lost.append((where, demoted))
            self._n_lost += where.size
            if self._n_lost > MAX_LOST:
                self._keep()
        self.second[where] = demoted
        if not self.is_local:
            size = order.lanes_per_group
            foreign = (demoted & ITEM) // size != (first[at] & ITEM) // size
            self.foreign[where[foreign]] = demoted[foreign]

    def _keep(self) -> None:
        """Put the accesses that were lost into `older`."""
        for cells, accesses in self._lost:
            for cell, access in zip(cells.tolist(), accesses.tolist(), strict=True):
                entries = self.older.setdefault(cell, {})
                item = access & int(ITEM)
                entries[item] = max(access, entries.get(item, 0))
        self._lost.clear()
        self._n_lost = 0

    def unordered(
        self, cells: Array, me: Array, floors: Array, order: Order
    ) -> tuple[Array, Array]:
        """Return (positions, earlier accesses) where one of these is unordered with `me`."""
        first = self.first[cells]
        recent = first >= order.limit(floors, is_local=self.is_local)
        if not recent.any():
            return np.empty(0, np.intp), first
        found = order.unordered(first, me, floors, is_local=self.is_local)
        recent[found] = False
        earlier = first
        for slots in (self.second,) if self.is_local else (self.second, self.foreign):
            at = np.flatnonzero(recent)
            if not at.size:
                break
            slot = slots[cells[at]]
            race = order.unordered(slot, me[at], floors[at], is_local=self.is_local)
            earlier[at[race]] = slot[race]
            found = np.concatenate([found, at[race]])
            recent[at[race]] = False
        if order.clocks is not None and recent.any():
            self._keep()
            more = []
            for position in np.flatnonzero(recent).tolist():
                access = self._older(cells, position, me, floors, order)
                if access:
                    earlier[position] = access
                    more.append(position)
            found = np.concatenate([found, np.array(more, np.intp)])
        return found, earlier

    def _older(self, cells: Array, position: int, me: Array, floors: Array, order: Order) -> int:
        """Return an older access that is unordered with the access at a position; 0 for none."""
        entries = self.older.get(int(cells[position]))
        if entries is None:
            return 0
        accesses = np.array(list(entries.values()))
        mine = np.full(accesses.size, me[position])
        floor = np.full(accesses.size, floors[position])
        race = order.unordered(accesses, mine, floor, is_local=self.is_local)
        return int(accesses[race[0]]) if race.size else 0

    def refine(self, times: int) -> None:
        """Divide each granule."""
        self._keep()
        self.first = np.repeat(self.first, times)
        self.second = np.repeat(self.second, times)
        self.foreign = np.repeat(self.foreign, times)
        self.older = {
            cell * times + part: dict(entries)
            for cell, entries in self.older.items()
            for part in range(times)
        }

    def clear(self) -> None:
        """Forget every access."""
        self.first[:] = 0
        self.second[:] = 0
        self.foreign[:] = 0
        self.older.clear()
        self._lost.clear()


class Shadow:
    """The shadow of one buffer, or of the group memory of the resident workgroups.

    `given` says that the host has given the content. `number` distinguishes the shadows of a check.
    """

    def __init__(self, number: int, size: int, granule: int, *, is_local: bool, given: bool):
        self.number = number
        self.size = size
        self.granule = granule
        self.is_local = is_local
        self.given = given
        count = -(-size // granule)
        self.writes = np.zeros(count, np.int64)
        """The last store to each granule."""
        self.reads = Latest(count, is_local=is_local)
        self.atomics: Latest | None = None

    def cells(self, index: Array, size: int) -> Array:
        """Return the granules of elements of `size` bytes, granule by granule of each element."""
        if size < self.granule:
            self._refine(self.granule // size)
        times = size // self.granule
        if times == 1:
            return index
        return (index[:, None] * times + np.arange(times)).ravel()

    def _refine(self, times: int) -> None:
        self.granule //= times
        self.writes = np.repeat(self.writes, times)
        self.reads.refine(times)
        if self.atomics is not None:
            self.atomics.refine(times)

    def make_atomics(self) -> Latest:
        """Return the latest atomics, with room for them."""
        if self.atomics is None:
            self.atomics = Latest(self.writes.size, is_local=self.is_local)
        return self.atomics

    def unwritten(self, cells: Array, last_store: Array) -> Array:
        """Return the positions of granules that neither a store nor an atomic has written."""
        empty = last_store == 0
        if self.atomics is not None:
            empty &= self.atomics.first[cells] == 0
        return np.flatnonzero(empty)

    def clear(self) -> None:
        """Forget all accesses: nothing is written."""
        self.writes[:] = 0
        self.reads.clear()
        if self.atomics is not None:
            self.atomics.clear()
