"""The contract of a divergence scheme: where a warp's lanes are, and which of them run next.

A scheme object belongs to one warp. It owns what the paper's hardware owns (a stack, a table of
PCs) and exposes the path that runs now:

    pc      word address of the running path
    mask    its lanes (bit l = lane l); 0 means that no lane of the warp can run
    watch   the pc at which `arrive` must be called, or NOWHERE

The executor advances `pc` for instructions and uniform branches, and calls the scheme at the events
below. Contract, in the order in which an executor keeps it:

1. After each instruction the executor calls `arrive()` if `pc` is `watch`, or is not below it where
   the scheme `watches_order`. Paths are parked at block leaders only, so testing at leaders is
   testing everywhere.
2. `branch()` is called for divergent branches only, `exit()` when the running lanes returned,
   `reconverge()` after a `reconverge` instruction was issued (pc is already past it).
3. `barrier()` is called when the running lanes reach a barrier: it returns False where a part of
   the warp cannot wait (lock-step schemes), else parks them. `release()` lets all waiting lanes
   continue after the barrier.
4. The masks of all paths are disjoint and their union is the live lanes of the warp.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

NOWHERE = -1
"""A watch that no pc equals."""

Knobs = dict[str, tuple[str | int | bool, ...]]


class Scheme(ABC):
    """The divergence state of one warp."""

    name: ClassVar[str]
    knobs: ClassVar[Knobs] = {}
    """Knob -> the values it can take; the first is the default."""
    explicit: ClassVar[bool] = False
    """Acts on `reconverge` instructions: kernels should be assembled with explicit markers."""
    watches_order: ClassVar[bool] = False
    """The watch is met by any pc at or above it, not only by the equal one."""

    def __init__(self, mask: int, options: dict[str, str | int | bool]) -> None:
        self.pc = 0
        self.mask = mask
        self.watch = NOWHERE
        self.options = options

    @classmethod
    def needs_every_pc(cls, options: dict[str, str | int | bool]) -> bool:
        """Return whether rule 1 applies at every pc, because paths park between leaders too."""
        return False

    @property
    def comparisons(self) -> int:
        """PC comparisons that the hardware makes for each instruction in this state (PPC-HW)."""
        return 0

    @property
    @abstractmethod
    def depth(self) -> int:
        """Entries on the stack (or paths beside the running one)."""

    @abstractmethod
    def branch(self, taken: int, target: int, fall: int, join: int | None) -> None:
        """Split the running path: lanes of `taken` go to `target`, the others to `fall`."""

    @abstractmethod
    def exit(self) -> None:
        """Remove the running lanes, which have returned; run another path, or set `mask` to 0."""

    def arrive(self) -> None:  # noqa: B027 (a scheme that never watches has nothing to do)
        """Handle that the running path has reached `watch`."""

    def reconverge(self) -> None:  # noqa: B027 (nor has one that is not explicit)
        """Handle a `reconverge` instruction of the running path; `pc` is past it."""

    def barrier(self) -> bool:
        """Park the running path at a barrier; return False where it may not wait there."""
        return not self.parked()

    def release(self) -> None:
        """Let the waiting lanes continue after the barrier, which has opened."""
        self.pc += 1

    @abstractmethod
    def parked(self) -> list[tuple[int, int]]:
        """Return (mask, pc) of every path that is not running, for reports."""

    def stack_rows(self) -> list[tuple[int, int, int]]:
        """Return (pc, rpc, mask) of each entry of a stack from the bottom; the top one runs."""
        return []

    def pair_rows(self) -> list[tuple[int, int, int, int]]:
        """Return (pc, mask, other pc, other mask) of each dual-path entry from the bottom.

        The current side of an entry comes first.
        """
        return []
