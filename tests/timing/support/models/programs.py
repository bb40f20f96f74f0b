"""Programs of the models: instructions, the branches that work-items take, and their text.

A program is a list of instructions; a PC is an index into it. Every work-item has its own list of
outcomes for each branch: the n-th time that it executes the branch it takes outcome n. So the path
of a work-item does not depend on when it executes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    ALU = "alu"
    LOAD = "load"
    BRANCH = "branch"
    JUMP = "jump"
    EXIT = "exit"


@dataclass(frozen=True)
class Instruction:
    """An instruction; `number` is that of its branch or load in the program."""

    kind: Kind
    target: int = -1
    number: int = -1
    subdivide: bool = False
    """The branch may split a whole warp (DWS 4.3)."""
    drawn: bool = False
    """The branch's outcomes may change from one execution to the next."""


Program = Sequence[Instruction]

MOST_OUTCOMES = 32
"""How often a work-item may take a branch of changing outcomes: bits of a register."""


def successors(program: Program, pc: int) -> tuple[int, ...]:
    """Return the PCs that may follow; none after an exit."""
    instruction = program[pc]
    match instruction.kind:
        case Kind.EXIT:
            return ()
        case Kind.JUMP:
            return (instruction.target,)
        case Kind.BRANCH:
            return (pc + 1, instruction.target)
        case _:
            return (pc + 1,)


def joins(program: Program) -> dict[int, int | None]:
    """Return each branch's immediate post-dominator; None where sides meet only by leaving.

    By definition: p post-dominates n if every path from n to an exit has p. The immediate one is
    the one that all others post-dominate.
    """
    end = len(program)
    everything = frozenset(range(end + 1))
    after: list[frozenset[int]] = [everything] * end + [frozenset({end})]
    changed = True
    while changed:
        changed = False
        for pc in reversed(range(end)):
            following = successors(program, pc) or (end,)
            common = frozenset.intersection(*(after[n] for n in following)) | {pc}
            changed |= common != after[pc]
            after[pc] = common
    found: dict[int, int | None] = {}
    for pc, instruction in enumerate(program):
        if instruction.kind is Kind.BRANCH:
            proper = after[pc] - {pc}
            nearest = max(proper, key=lambda p: len(after[p]))
            found[pc] = None if nearest == end else nearest
    return found


@dataclass(frozen=True)
class Case:
    """A program with what its work-items do, and the machine that executes it."""

    program: Program
    width: int
    warps: int
    miss: int
    """Cycles of a miss to which no latency is given."""
    outcomes: Sequence[Sequence[Sequence[bool]]]
    """Work-item, branch -> whether it is taken, execution by execution; a last value repeats."""
    lines: Sequence[Sequence[int]]
    """Work-item, load -> the line that it accesses."""
    replies: dict[tuple[int, int], tuple[bool, int]]
    """Work-item, number of the access among its own -> hit, and the latency of a miss.

    Accesses without a reply follow the natural rule: the first touch of a line misses.
    """

    @property
    def items(self) -> int:
        return self.width * self.warps

    def takes(self, item: int, branch: int, execution: int) -> bool:
        chosen = self.outcomes[item][branch]
        return chosen[min(execution, len(chosen) - 1)]


class TooLong(Exception):
    """A work-item executes too many instructions, or a branch too often."""


def path(case: Case, item: int, limit: int) -> list[int]:
    """Return the PCs that a work-item executes: at most `limit`, else raise TooLong."""
    pcs: list[int] = []
    executed = [0] * len(case.outcomes[item])
    pc = 0
    while True:
        if len(pcs) == limit:
            raise TooLong
        pcs.append(pc)
        instruction = case.program[pc]
        if instruction.kind is Kind.EXIT:
            return pcs
        if instruction.kind is Kind.BRANCH:
            taken = case.takes(item, instruction.number, executed[instruction.number])
            executed[instruction.number] += 1
            if instruction.drawn and executed[instruction.number] > MOST_OUTCOMES:
                raise TooLong
            pc = instruction.target if taken else pc + 1
        elif instruction.kind is Kind.JUMP:
            pc = instruction.target
        else:
            pc += 1


def lanes(mask: int) -> Iterable[int]:
    """Return the lanes of a mask in ascending order."""
    return (lane for lane in range(mask.bit_length()) if mask >> lane & 1)
