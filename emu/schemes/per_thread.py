"""Per-thread PCs: no stack, every lane has a PC, the lanes at the minimum PC run (PPC-03).

Also known as stack-less min-PC re-convergence (Q-PPC-2). Lanes that wait at a barrier leave the
choice of the minimum, so a warp may wait for itself piece by piece.
"""

from __future__ import annotations

from .base import NOWHERE, Scheme


class PerThread(Scheme):
    """Lanes grouped by PC; the group with the smallest PC runs."""

    name = "per-thread"
    watches_order = True

    def __init__(self, mask: int, options: dict[str, str | int | bool]) -> None:
        super().__init__(mask, options)
        self.lanes = mask.bit_count()
        self.groups: dict[int, int] = {}
        """PC -> mask of the lanes that are there and do not run now."""
        self.waiting: dict[int, int] = {}
        """PC of a barrier -> mask of the lanes that wait at it."""

    @property
    def depth(self) -> int:
        return len(self.groups)

    @property
    def comparisons(self) -> int:
        # One comparator per thread, redundant or not (PPC Fig. 2).
        return self.lanes

    def branch(self, taken: int, target: int, fall: int, join: int | None) -> None:
        self._park(target, taken)
        self._park(fall, self.mask & ~taken)
        self._choose()

    def arrive(self) -> None:
        self._park(self.pc, self.mask)
        self._choose()

    def exit(self) -> None:
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

    def _park(self, pc: int, mask: int) -> None:
        self.groups[pc] = self.groups.get(pc, 0) | mask

    def _choose(self) -> None:
        if not self.groups:
            self.mask, self.watch = 0, NOWHERE
            return
        self.pc = min(self.groups)
        self.mask = self.groups.pop(self.pc)
        self.watch = min(self.groups, default=NOWHERE)

    def parked(self) -> list[tuple[int, int]]:
        return [(m, pc) for pc, m in sorted((*self.groups.items(), *self.waiting.items()))]
