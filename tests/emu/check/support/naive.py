"""Happens-before by full vector clocks, one access at a time: the definition of a race."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Seen:
    """An access: the work-item's `count`-th event, at a cell."""

    kind: str
    item: int
    count: int


@dataclass
class Naive:
    """A launch of `groups` workgroups of `size` work-items, followed access by access."""

    groups: int
    size: int
    cells: dict[int, list[Seen]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = self.groups * self.size
        self.clocks = [[0] * n for _ in range(n)]
        self.fenced: list[list[int] | None] = [None] * n
        self.published: dict[int, list[int]] = {}

    def _group(self, item: int) -> range:
        first = item // self.size * self.size
        return range(first, first + self.size)

    def barrier(self, group: int) -> None:
        members = self._group(group * self.size)
        joined = [max(column) for column in zip(*(self.clocks[m] for m in members), strict=True)]
        for member in members:
            self.clocks[member] = list(joined)

    def fence(self, item: int) -> None:
        self.fenced[item] = list(self.clocks[item])

    def synchronise(self, item: int, cell: int) -> None:
        """Let an atomic that returns a value and writes acquire and release."""
        published = self.published.get(cell)
        if published is not None:
            self.clocks[item] = [
                max(a, b) for a, b in zip(self.clocks[item], published, strict=True)
            ]
        fenced = self.fenced[item]
        if fenced is not None:
            before = self.published.get(cell, [0] * len(fenced))
            self.published[cell] = list(map(max, before, fenced))

    def races(self, kind: str, item: int, cell: int) -> bool:
        """Return whether an access races with an earlier one, and remember it."""
        clock = self.clocks[item]
        conflicts = {"load": ("store", "atomic"), "atomic": ("store", "load")}
        against = conflicts.get(kind, ("load", "store", "atomic"))
        found = any(
            seen.kind in against and seen.item != item and seen.count > clock[seen.item]
            for seen in self.cells.get(cell, ())
        )
        clock[item] += 1
        self.cells.setdefault(cell, []).append(Seen(kind, item, clock[item]))
        if kind == "store":
            self.published.pop(cell, None)
        return found
