"""Knowledge that `memfence` and atomics pass on, in place of vector clocks.

The rule (docs/checking.md): a work-item's accesses before its last `memfence` are published by its
next atomics that write. An atomic that returns a value has seen what was published by the atomics
before it at the same address. Happens-before is transitive.

A vector clock for each work-item would have an entry for each other one. Here each address has a
log of what was published there, and all that a work-item knows is how far it has seen each log. An
entry of a log is a work-item, the time of its fence, and how far it had seen other logs then.

Events are kept as arrays, and replayed work-item by work-item when `knows` is asked for the first
time: most kernels with fences have no access for which that is needed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from .timeline import STAMP

Array = np.ndarray

MAX_DELAYED = 1 << 22
"""Events of work-items after which they are replayed in any case: some 100 MB."""

_ITEM = (1 << STAMP) - 1

Seen = Mapping[int, int]
"""How many entries of each log are known, by the number of the log; never changed in place."""

_NOTHING: Seen = {}


@dataclass(slots=True)
class _Rising:
    """Values that only rise, each with the entry of the log that brought it."""

    entries: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def add(self, entry: int, value: int) -> None:
        if not self.values or value > self.values[-1]:
            self.entries.append(entry)
            self.values.append(value)

    def before(self, entry: int) -> int:
        """Return the last value that an entry below `entry` has brought; 0 for none."""
        index = bisect_left(self.entries, entry)
        return self.values[index - 1] if index else 0


@dataclass(slots=True)
class _Log:
    """What was published at an address: accesses below a number, by work-item and workgroup."""

    size: int = 0
    items: dict[int, _Rising] = field(default_factory=dict)
    groups: dict[int, _Rising] = field(default_factory=dict)
    others: dict[int, _Rising] = field(default_factory=dict)
    """How far the publishers had seen other logs."""


@dataclass(slots=True)
class _Fence:
    """A work-item at its last fence: the time, its workgroup's last barrier, and its knowledge."""

    now: int
    floor: int
    seen: tuple[Seen, Seen]


class Clocks:
    """What the work-items of a launch know of each other's accesses, beyond barriers."""

    def __init__(self, lanes_per_group: int) -> None:
        self.lanes_per_group = lanes_per_group
        self._items: dict[int, dict[int, Seen]] = {}
        """By workgroup: of those work-items that have learnt something since the last barrier."""
        self._groups: dict[int, Seen] = {}
        self._fences: dict[int, _Fence] = {}
        self._logs: list[_Log] = []
        self._log_at: dict[int, dict[int, int]] = {}
        """By memory, then by offset."""
        self._touched: set[int] = set()
        """Memories with atomics."""
        self._delayed: list[Callable[[], None]] = []
        self._n_delayed = 0

    # --- events, in the order in which they happen

    def fence(self, items: Array, now: int, floors: Array) -> None:
        """Let work-items publish from now on what they have done and know.

        `floors` are above what their workgroups did before the last barrier.
        """
        self._delay(items.size, lambda: self._fence(items, now, floors))

    def atomics(
        self, memory: int, items: Array, offsets: Array, wrote: Array, *, returns: bool
    ) -> None:
        """Let work-items, one after the other, make atomics at offsets into a memory.

        They acquire if the instruction returns what it found, and release if they wrote.
        """
        self._touched.add(memory)
        self._delay(items.size, lambda: self._atomics(memory, items, offsets, wrote, returns))

    def overwrite(self, memory: int, offsets: Array) -> None:
        """Begin new logs at addresses that plain stores overwrite."""
        if memory in self._touched:
            self._delay(offsets.size, lambda: self._overwrite(memory, offsets))

    def barrier(self, group: int) -> None:
        """Let each work-item of a workgroup know what the others know."""
        self._delay(1, lambda: self._barrier(group))

    def forget(self, memory: int) -> None:
        """Begin new logs, for a memory without earlier accesses."""
        self._delay(1, lambda: self._log_at.pop(memory, None))

    def _delay(self, count: int, event: Callable[[], object]) -> None:
        self._delayed.append(event)  # pyright: ignore[reportArgumentType]
        self._n_delayed += count
        if self._n_delayed > MAX_DELAYED:
            self._replay()

    def _replay(self) -> None:
        for event in self._delayed:
            event()
        self._delayed.clear()
        self._n_delayed = 0

    # --- what they have led to

    def _seen(self, item: int) -> tuple[Seen, Seen]:
        group = item // self.lanes_per_group
        members = self._items.get(group, _NOTHING)
        return members.get(item, _NOTHING), self._groups.get(group, _NOTHING)  # pyright: ignore

    def knows(self, me: int, earlier: int) -> bool:
        """Return whether the work-item of access `me` knows an earlier access."""
        if self._delayed:
            self._replay()
        other = earlier & _ITEM
        group = other // self.lanes_per_group
        furthest: dict[int, int] = {}
        work = [pair for seen in self._seen(me & _ITEM) for pair in seen.items()]
        while work:
            number, entry = work.pop()
            if entry <= furthest.get(number, 0):
                continue
            furthest[number] = entry
            log = self._logs[number]
            for table, key in ((log.items, other), (log.groups, group)):
                rising = table.get(key)
                if rising is not None and earlier < rising.before(entry):
                    return True
            work += [(n, known) for n, r in log.others.items() if (known := r.before(entry))]
        return False

    def _fence(self, items: Array, now: int, floors: Array) -> None:
        for item, floor in zip(items.tolist(), floors.tolist(), strict=True):
            self._fences[item] = _Fence(now, floor, self._seen(item))

    def _atomics(
        self, memory: int, items: Array, offsets: Array, wrote: Array, returns: bool
    ) -> None:
        lanes = zip(items.tolist(), offsets.tolist(), wrote.tolist(), strict=True)
        log_at = self._log_at.setdefault(memory, {})
        for item, offset, has_written in lanes:
            number = log_at.get(offset)
            if returns and number is not None:
                members = self._items.setdefault(item // self.lanes_per_group, {})
                members[item] = {**members.get(item, _NOTHING), number: self._logs[number].size}
            fence = self._fences.get(item) if has_written else None
            if fence is None:
                continue
            if number is None:
                number = log_at[offset] = len(self._logs)
                self._logs.append(_Log())
            self._publish(number, item, fence)

    def _publish(self, number: int, item: int, fence: _Fence) -> None:
        log = self._logs[number]
        entry = log.size
        log.size += 1
        log.items.setdefault(item, _Rising()).add(entry, fence.now)
        group = item // self.lanes_per_group
        log.groups.setdefault(group, _Rising()).add(entry, fence.floor)
        for seen in fence.seen:
            for other, known in seen.items():
                if other != number:
                    log.others.setdefault(other, _Rising()).add(entry, known)

    def _overwrite(self, memory: int, offsets: Array) -> None:
        log_at = self._log_at.get(memory)
        if log_at:
            for offset in offsets[np.isin(offsets, list(log_at))].tolist():
                log_at.pop(offset, None)

    def _barrier(self, group: int) -> None:
        members = self._items.pop(group, None)
        if members:
            joined = dict(self._groups.get(group, _NOTHING))
            for seen in members.values():
                for number, known in seen.items():
                    joined[number] = max(known, joined.get(number, 0))
            self._groups[group] = joined
