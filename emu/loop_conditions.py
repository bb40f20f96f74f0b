"""What decides whether a loop ends.

A loop whose condition nothing in it changes is the commonest reason of an endless one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..asm.flow.cfg import Block, build
from ..asm.flow.loops import find
from ..isa.instruction import Instruction, Reg
from ..isa.program import Kernel, Program
from ..isa.table import Flags
from ..isa.types import RegClass


@dataclass(frozen=True)
class UnchangedCondition:
    """What a message says of a loop that cannot end, and what to do."""

    note: str
    hint: str


def unchanged_condition(program: Program, kernel: Kernel, pc: int) -> UnchangedCondition | None:
    """Return why the innermost such loop around `pc` cannot end; None if that is not certain.

    It is certain where all branches out of the loop are decided by registers that no instruction
    of the loop writes: directly, or through instructions of the branch's own block.
    """
    found = _innermost(kernel.instructions, pc)
    if found is None:
        return None
    branches, deciding = found
    names = [str(register) for register in deciding]
    either = " or ".join(names)
    places: list[str] = []
    for branch in branches:
        span = program.span(kernel, branch)
        places.append(f"line {span.line}" if span else f"pc {branch}")
    conditions = "its condition in" if len(places) == 1 else "its conditions in"
    depends = "depends" if len(places) == 1 else "depend"
    return UnchangedCondition(
        f"no instruction of the loop changes {either}: {conditions} {' and '.join(places)} "
        f"{depends} on {' and '.join(names)} only",
        f"change {either} in the loop, or let the condition depend on a register that changes "
        "there",
    )


def _innermost(code: Sequence[Instruction], pc: int) -> tuple[list[int], list[Reg]] | None:
    """Return the branches out of the innermost such loop, by pc, and the registers they read."""
    cfg = build(code)
    loops = find(cfg)
    index = loops.innermost[cfg.block_of[pc]]
    while index is not None:
        inside = [b for b in cfg.blocks if loops.contains(index, b.number)]
        numbers = {b.number for b in inside}
        leaving = [b for b in inside if not numbers.issuperset(loops.flow[b.number])]
        writers: dict[Reg, list[int]] = {}
        for block in inside:
            for at in range(block.start, block.end):
                for register in code[at].writes():
                    writers.setdefault(register, []).append(at)
        found = [_deciding(code, block, writers) for block in leaving]
        if found and all(found):
            registers = dict.fromkeys(r for some in found if some for r in some)
            return [b.last for b in leaving], list(registers)
        index = loops.all[index].parent
    return None


def _deciding(
    code: Sequence[Instruction], block: Block, writers: dict[Reg, list[int]]
) -> list[Reg] | None:
    """Return the registers on which a block's branch depends; None if the loop changes one.

    Empty if the branch depends on constants only, or is not conditional.
    """
    found: list[Reg] = []
    waiting = [(register, block.last) for register in code[block.last].reads()]
    while waiting:
        register, reader = waiting.pop(0)
        places = writers.get(register, [])
        if not places:
            found.append(register)
            continue
        at = places[0]
        row = code[at].row
        # Another block may write it in some iterations only; a later instruction, for the next one.
        if len(places) > 1 or not block.start <= at < reader:
            return None
        if row.is_memory or row.reads_clock or row.flags & Flags.CROSS_LANE:
            return None
        waiting += [(source, at) for source in code[at].reads()]
    return found


def registers_that_matter(code: Sequence[Instruction]) -> dict[RegClass, list[int]]:
    """Return the registers, by class, on which branches, memory or traps in this code depend."""
    counting: set[Reg] = set()
    for ins in code:
        if ins.dst is None or ins.row.is_memory or ins.row.flags & _OUTWARD:
            counting.update(ins.reads())
    before = -1
    while len(counting) > before:
        before = len(counting)
        for ins in code:
            if counting.intersection(ins.writes()):
                counting.update(ins.reads())
    return {c: sorted(r.index for r in counting if r.cls is c) for c in RegClass}


_OUTWARD = Flags.MAY_TRAP | Flags.CROSS_LANE
