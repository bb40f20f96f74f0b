"""Fewest first: lanes are grouped by PC, as per-thread does, and the smallest group runs.

The lanes at the smallest PC run where two groups are equally small.
"""

from __future__ import annotations

from simtlab.emu.schemes import NOWHERE, Scheme


class FewestFirst(Scheme):
    """A table of PCs; no path waits for another one, except at barriers."""

    name = "fewest-first"

    def __init__(self, mask: int, options: dict[str, str | int | bool]) -> None:
        super().__init__(mask, options)
        self.paths: dict[int, int] = {}
        self.waiting: dict[int, int] = {}

    @property
    def depth(self) -> int:
        return len(self.paths)

    def branch(self, taken: int, target: int, fall: int, join: int | None) -> None:
        self._park(target, taken)
        self._park(fall, self.mask & ~taken)
        self._choose()

    def exit(self) -> None:
        self._choose()

    def arrive(self) -> None:
        """The running path is at the PC of another one: both are one path."""
        self._park(self.pc, self.mask)
        self._choose()

    def barrier(self) -> bool:
        self.waiting[self.pc] = self.waiting.get(self.pc, 0) | self.mask
        self._choose()
        return True

    def release(self) -> None:
        for pc, mask in self.waiting.items():
            self._park(pc + 1, mask)
        self.waiting.clear()
        self._choose()

    def parked(self) -> list[tuple[int, int]]:
        return [(mask, pc) for pc, mask in (*self.paths.items(), *self.waiting.items())]

    def _park(self, pc: int, mask: int) -> None:
        self.paths[pc] = self.paths.get(pc, 0) | mask

    def _choose(self) -> None:
        self.mask, self.watch = 0, NOWHERE
        if self.paths:
            self.pc = min(self.paths, key=lambda pc: (self.paths[pc].bit_count(), pc))
            self.mask = self.paths.pop(self.pc)
            self.watch = min((pc for pc in self.paths if pc > self.pc), default=NOWHERE)
