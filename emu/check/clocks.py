"""Knowledge that `memfence` and atomics pass on, in place of vector clocks.

The rule (docs/checking.md): a work-item's accesses before its last `memfence` are published by its
next atomics that write. An atomic that returns a value has seen what was published by the atomics
before it at the same address. Happens-before is transitive.

A vector clock for each work-item would have an entry for each other one. Here each address has a
log of what was published there, and all that a work-item knows is how far it has seen each log. An
entry of a log is a work-item, the time of its fence, and how far it had seen other logs then.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

from .timeline import STAMP

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
        self._log_at: dict[tuple[int, int], int] = {}

    def _seen(self, item: int) -> tuple[Seen, Seen]:
        group = item // self.lanes_per_group
        members = self._items.get(group, _NOTHING)
        return members.get(item, _NOTHING), self._groups.get(group, _NOTHING)  # pyright: ignore

    def knows(self, me: int, earlier: int) -> bool:
        """Return whether the work-item of access `me` knows an earlier access."""
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

    def fence(self, item: int, now: int, barrier_floor: int) -> None:
        """Let a work-item publish from now on what it has done and knows.

        `barrier_floor` is above what its workgroup did before the last barrier.
        """
        self._fences[item] = _Fence(now, barrier_floor, self._seen(item))

    def acquire(self, item: int, address: tuple[int, int]) -> None:
        """Let a work-item, which has the value at an address, learn what was published there."""
        number = self._log_at.get(address)
        if number is not None:
            members = self._items.setdefault(item // self.lanes_per_group, {})
            members[item] = {**members.get(item, _NOTHING), number: self._logs[number].size}

    def release(self, item: int, address: tuple[int, int]) -> None:
        """Publish at an address what the work-item had done before its last fence."""
        fence = self._fences.get(item)
        if fence is None:
            return
        number = self._log_at.get(address)
        if number is None:
            number = self._log_at[address] = len(self._logs)
            self._logs.append(_Log())
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

    def overwrite(self, memory: int, offsets: list[int]) -> None:
        """Begin new logs at addresses that a plain store overwrites."""
        for offset in offsets:
            self._log_at.pop((memory, offset), None)

    def barrier(self, group: int) -> None:
        """Let each work-item of a workgroup know what the others know."""
        members = self._items.pop(group, None)
        if members:
            joined = dict(self._groups.get(group, _NOTHING))
            for seen in members.values():
                for number, known in seen.items():
                    joined[number] = max(known, joined.get(number, 0))
            self._groups[group] = joined

    def forget(self, memory: int) -> None:
        """Begin new logs in a memory that begins anew."""
        self._log_at = {k: v for k, v in self._log_at.items() if k[0] != memory}
