"""Vector clocks, for kernels that publish stores with `memfence` and an atomic.

The rule (docs/checking.md): a work-item's accesses before its last `memfence` are published by its
next atomics that write. An atomic that returns a value has seen what was published by the atomics
before it at the same address. Happens-before is transitive.

A clock says how much its owner knows of each work-item: all accesses below a number of the
timeline. Barriers teach whole workgroups, so a clock has entries for workgroups and for
work-items, and few of both.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .timeline import STAMP

_ITEM = (1 << STAMP) - 1


@dataclass(slots=True)
class Clock:
    """Accesses that are known: those of each work-item and workgroup below a number."""

    items: dict[int, int] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)

    def learn(self, other: Clock) -> None:
        """Add what another clock knows."""
        for mine, theirs in ((self.items, other.items), (self.groups, other.groups)):
            for key, value in theirs.items():
                if value > mine.get(key, 0):
                    mine[key] = value


class Clocks:
    """The clocks of a launch: of work-items, of workgroups at their last barrier, of addresses."""

    def __init__(self, lanes_per_group: int) -> None:
        self.lanes_per_group = lanes_per_group
        self._items: dict[int, dict[int, Clock]] = {}
        """By workgroup: of those work-items that have learnt something since the last barrier."""
        self._groups: dict[int, Clock] = {}
        self._fenced: dict[int, Clock] = {}
        self._published: dict[tuple[int, int], Clock] = {}

    def _item(self, item: int) -> Clock | None:
        return self._items.get(item // self.lanes_per_group, {}).get(item)

    def knows(self, me: int, earlier: int) -> bool:
        """Return whether the work-item of access `me` knows an earlier access."""
        item, group = me & _ITEM, (me & _ITEM) // self.lanes_per_group
        other = earlier & _ITEM
        for clock in (self._item(item), self._groups.get(group)):
            if clock is not None and (
                earlier < clock.items.get(other, 0)
                or earlier < clock.groups.get(other // self.lanes_per_group, 0)
            ):
                return True
        return False

    def fence(self, item: int, now: int, barrier_floor: int) -> None:
        """Let a work-item publish from now on what it has done and knows.

        `barrier_floor` is above what its workgroup did before the last barrier.
        """
        group = item // self.lanes_per_group
        clock = Clock({item: now}, {group: barrier_floor})
        for known in (self._item(item), self._groups.get(group)):
            if known is not None:
                clock.learn(known)
        self._fenced[item] = clock

    def acquire(self, item: int, address: tuple[int, int]) -> None:
        """Let a work-item, which has the value at an address, learn what was published there."""
        published = self._published.get(address)
        if published is not None:
            members = self._items.setdefault(item // self.lanes_per_group, {})
            members.setdefault(item, Clock()).learn(published)

    def release(self, item: int, address: tuple[int, int]) -> None:
        """Publish at an address what the work-item had done before its last fence."""
        fenced = self._fenced.get(item)
        if fenced is not None:
            self._published.setdefault(address, Clock()).learn(fenced)

    def overwrite(self, memory: int, cells: list[int]) -> None:
        """Forget what was published at addresses that a plain store overwrites."""
        for cell in cells:
            self._published.pop((memory, cell), None)

    def barrier(self, group: int) -> None:
        """Let each work-item of a workgroup know what the others know."""
        for clock in self._items.pop(group, {}).values():
            self._groups.setdefault(group, Clock()).learn(clock)

    def forget(self, memory: int) -> None:
        """Forget what was published in a memory that begins anew."""
        self._published = {k: v for k, v in self._published.items() if k[0] != memory}
