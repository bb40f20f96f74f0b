"""Paired-path comparison and per-thread PCs, as traces of (PC, mask) of one warp (PPC II and III).

Neither depends on time (PPC IV measures instructions and active lanes), so a trace has no cycles.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .programs import Case, Kind, lanes

Trace = list[tuple[int, int]]
"""PC and mask of each instruction that a warp issues."""

TAKEN, NOT_TAKEN = 0, 1


@dataclass
class Lanes:
    """The work-items of a case's first warp, and how often each has executed each branch."""

    case: Case
    executed: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.executed = [[0] * len(row) for row in self.case.outcomes]

    def taken(self, branch: int, mask: int) -> int:
        """Return the lanes of a mask that take a branch; they have executed it once more."""
        found = 0
        for lane in lanes(mask):
            found |= self.case.takes(lane, branch, self.executed[lane][branch]) << lane
            self.executed[lane][branch] += 1
        return found


@dataclass
class Pair:
    """An entry of the dual-path stack: PC and mask of both sides, and the side that runs."""

    pcs: list[int]
    masks: list[int]
    current: int = NOT_TAKEN


@dataclass
class PairedPaths:
    """Figures 4 and 5 of the paper: a warp's PC and its dual-path stack.

    With `cascade` the comparison is repeated after entries merge (Q-PPC-5). Without it, it is
    Figure 4 to the letter: one comparison after each instruction, returns among them.
    """

    case: Case
    cascade: bool = True
    pc: int = 0
    stack: list[Pair] = field(default_factory=list)

    def trace(self) -> Trace:
        program, items = self.case.program, Lanes(self.case)
        live = (1 << self.case.width) - 1
        found: Trace = []
        while live:
            pc = self._pc()
            mask = self.stack[-1].masks[self.stack[-1].current] if self.stack else live
            found.append((pc, mask))
            instruction = program[pc]
            match instruction.kind:
                case Kind.BRANCH:
                    taken = items.taken(instruction.number, mask)
                    if taken in (0, mask):
                        # Figure 5 adds the offset to branches that no lane takes, too (Q-PPC-7).
                        self._set_pc(instruction.target if taken else pc + 1)
                    else:
                        sides = [instruction.target, pc + 1]
                        self.stack.append(Pair(sides, [taken, mask & ~taken]))
                case Kind.EXIT:
                    live &= ~mask
                    self._leave(mask)
                case Kind.JUMP:
                    self._set_pc(instruction.target)
                case _:
                    self._set_pc(pc + 1)
            self._compare()
        return found

    def _pc(self) -> int:
        return self.stack[-1].pcs[self.stack[-1].current] if self.stack else self.pc

    def _set_pc(self, pc: int) -> None:
        if self.stack:
            self.stack[-1].pcs[self.stack[-1].current] = pc
        else:
            self.pc = pc

    def _compare(self) -> None:
        """Figure 4: delete the top if its PCs are equal, else choose the smaller one."""
        while self.stack:
            pair = self.stack[-1]
            if pair.pcs[TAKEN] != pair.pcs[NOT_TAKEN]:
                pair.current = TAKEN if pair.pcs[TAKEN] < pair.pcs[NOT_TAKEN] else NOT_TAKEN
                return
            self.stack.pop()
            self._set_pc(pair.pcs[TAKEN])
            if not self.cascade:
                return

    def _leave(self, mask: int) -> None:
        """Take lanes that return out of every mask, and delete entries of one side (Q-PPC-12)."""
        for pair in self.stack:
            pair.masks = [side & ~mask for side in pair.masks]
        while self.stack and 0 in self.stack[-1].masks:
            pair = self.stack.pop()
            if any(pair.masks):
                self._set_pc(pair.pcs[TAKEN if pair.masks[TAKEN] else NOT_TAKEN])


def per_thread(case: Case) -> Trace:
    """Return the trace with a PC per thread: the lanes at the smallest PC run (Q-PPC-2)."""
    program, items = case.program, Lanes(case)
    pcs = dict.fromkeys(range(case.width), 0)
    found: Trace = []
    while pcs:
        pc = min(pcs.values())
        mask = sum(1 << lane for lane, at in pcs.items() if at == pc)
        found.append((pc, mask))
        instruction = program[pc]
        branches = instruction.kind is Kind.BRANCH
        taken = items.taken(instruction.number, mask) if branches else 0
        for lane in lanes(mask):
            if instruction.kind is Kind.EXIT:
                del pcs[lane]
            elif instruction.kind is Kind.JUMP or taken >> lane & 1:
                pcs[lane] = instruction.target
            else:
                pcs[lane] = pc + 1
    return found
