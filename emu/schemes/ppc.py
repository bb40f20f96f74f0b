"""Paired-path comparison on a dual-path stack, implicit and explicit (PPC-04 to PPC-09).

One entry per divergent branch holds both sides: {taken PC, not-taken PC, their masks, current
side}. Only the two PCs of the top entry are compared: equal PCs merge and delete the entry, else
the side with the smaller PC runs. No join has to be known, so warps re-converge wherever
both sides have the same PC, before the immediate post-dominator if control flow is unstructured
(PPC-10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import NOWHERE, Knobs, Scheme


@dataclass(slots=True)
class Side:
    """One path of an entry. Its PC is stale while an entry above refines it (Q-PPC-8)."""

    pc: int
    mask: int


@dataclass(slots=True)
class DualPath:
    """One divergent branch: both sides, and which of them runs."""

    taken: Side
    not_taken: Side
    taken_is_current: bool

    @property
    def current(self) -> Side:
        return self.taken if self.taken_is_current else self.not_taken

    @property
    def other(self) -> Side:
        return self.not_taken if self.taken_is_current else self.taken


class PairedPath(Scheme):
    """Implicit PPC: the comparison of Fig. 4 after every instruction.

    With `cascade` (the default, Q-PPC-5) the comparison repeats after a deletion; without it the
    parent is compared one instruction later, which is the literal reading.
    """

    name = "ppc"
    knobs: ClassVar[Knobs] = {"cascade": (True, False)}
    watches_order = True

    def __init__(self, mask: int, options: dict[str, str | int | bool]) -> None:
        super().__init__(mask, options)
        self._live = mask
        self.stack: list[DualPath] = []

    @classmethod
    def needs_every_pc(cls, options: dict[str, str | int | bool]) -> bool:
        # The literal reading notices a merge of the parent one instruction late.
        return not options["cascade"]

    @property
    def depth(self) -> int:
        return len(self.stack)

    @property
    def comparisons(self) -> int:
        return 1 if self.stack else 0

    def branch(self, taken: int, target: int, fall: int, join: int | None) -> None:
        self.stack.append(
            DualPath(Side(target, taken), Side(fall, self.mask & ~taken), taken_is_current=False)
        )
        self._compare()

    def arrive(self) -> None:
        self.stack[-1].current.pc = self.pc
        self._compare()

    def _compare(self) -> None:
        """Merge equal PCs, else run the side with the smaller PC (Fig. 4)."""
        while self.stack:
            top = self.stack[-1]
            if top.taken.pc != top.not_taken.pc:
                self._choose()
                return
            self.stack.pop()
            self._write_back(top.taken.pc)
            if not self.options["cascade"]:
                break
        self._run_top()

    def _write_back(self, pc: int) -> None:
        """Store a deleted entry's PC in the path below (Q-PPC-4: the warp PC if none)."""
        self.pc = pc
        if self.stack:
            self.stack[-1].current.pc = pc

    def _choose(self) -> None:
        top = self.stack[-1]
        top.taken_is_current = top.taken.pc < top.not_taken.pc
        self._run_top()

    def _run_top(self) -> None:
        if not self.stack:
            self.mask = self._live
            self.watch = NOWHERE
            return
        top = self.stack[-1]
        self.pc, self.mask = top.current.pc, top.current.mask
        self.watch = self._watch(top)

    def _watch(self, top: DualPath) -> int:
        if top.current.pc >= top.other.pc:
            # Without `cascade` a path may run although it is not the smaller one: compare after
            # its next instruction, whatever its PC.
            return 0
        return top.other.pc

    def exit(self) -> None:
        self._live &= ~self.mask
        for entry in self.stack:
            entry.taken.mask &= ~self.mask
            entry.not_taken.mask &= ~self.mask
        # Q-PPC-12: an entry with an empty side is deleted, the survivor goes to the level below.
        while self.stack and not self.stack[-1].current.mask:
            survivor = self.stack.pop().other
            self._write_back(survivor.pc)
        if not self._live:
            self.mask, self.watch = 0, NOWHERE
            return
        self._after_exit()

    def _after_exit(self) -> None:
        self._compare()

    def pair_rows(self) -> list[tuple[int, int, int, int]]:
        return [(e.current.pc, e.current.mask, e.other.pc, e.other.mask) for e in self.stack]

    def parked(self) -> list[tuple[int, int]]:
        return [(e.other.mask, e.other.pc) for e in reversed(self.stack) if e.other.mask]


class ExplicitPairedPath(PairedPath):
    """Explicit PPC (PPC-09): compares only when a `reconverge` instruction is issued."""

    name = "ppc-explicit"
    explicit = True

    @classmethod
    def needs_every_pc(cls, options: dict[str, str | int | bool]) -> bool:
        return False

    @property
    def comparisons(self) -> int:
        return 0

    def _watch(self, top: DualPath) -> int:
        return NOWHERE

    def reconverge(self) -> None:
        if self.stack:
            self.stack[-1].current.pc = self.pc
            self._compare()

    def _after_exit(self) -> None:
        self._run_top()
