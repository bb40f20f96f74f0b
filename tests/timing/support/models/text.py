"""A case of the models as a scenario that the timing engine runs.

A drawn branch, whose outcomes change, reads them from a register of its own, bit by bit: the two
instructions before it compute the condition and shift the register. They are ALU instructions of
the program. The loops of figures have no such instructions: their outcomes are listed.
"""

from __future__ import annotations

from ..scenarios import Scenario
from .programs import MOST_OUTCOMES, Case, Instruction, Kind


def scenario(case: Case) -> Scenario:
    """Return the scenario of a case."""
    program = case.program
    targets = {i.target for i in program if i.kind in (Kind.BRANCH, Kind.JUMP)}
    lines = []
    for pc, instruction in enumerate(program):
        if pc in targets:
            lines.append(f"@L{pc}:")
        lines.append(_line(program, pc, instruction))
    branches = {i.number: i for i in program if i.kind is Kind.BRANCH}
    loads = {i.number for i in program if i.kind is Kind.LOAD}
    items = range(case.items)
    return Scenario(
        "\n".join(lines) + "\n",
        width=case.width,
        warps=case.warps,
        miss=case.miss,
        masks={
            f"c{n + 1}": "".join("01"[case.takes(i, n, 0)] for i in items)
            for n, branch in branches.items()
            if not branch.drawn
        },
        outcomes={
            f"c{n + 1}": [
                "".join("01"[case.takes(i, n, execution)] for i in items)
                for execution in range(most)
            ]
            for n, branch in branches.items()
            if not branch.drawn and (most := max(len(case.outcomes[i][n]) for i in items)) > 1
        },
        numbers={
            f"s{n + 1}": [_bits(case, i, n) for i in items]
            for n, branch in branches.items()
            if branch.drawn
        },
        lines={
            f"d{n}": "".join(chr(ord("a") + case.lines[i][n]) for i in items) for n in sorted(loads)
        },
        script=case.replies,
    )


def _line(program: object, pc: int, instruction: Instruction) -> str:
    number = instruction.number
    match instruction.kind:
        case Kind.ALU if number >= 0:
            # The first instruction of a drawn branch tests the bit, the second one shifts.
            register = f"$s{number + 1}"
            if instruction.drawn:
                return f"cmp_lt_s32 $c0, {register}, 0"
            return f"add_u32 {register}, {register}, {register}"
        case Kind.ALU:
            return "add_u32 $s0, $s0, 1"
        case Kind.LOAD:
            return f"ld_global_u32 $s63, [$d{number}]"
        case Kind.JUMP:
            return f"br @L{instruction.target}"
        case Kind.BRANCH:
            condition = "$c0" if instruction.drawn else f"$c{number + 1}"
            flag = "subdivide" if instruction.subdivide else "nosubdivide"
            return f"cbr {condition}, @L{instruction.target}, {flag}"
        case Kind.EXIT:
            return "ret"


def _bits(case: Case, item: int, branch: int) -> int:
    """Return the outcomes of a branch as a register: the first one is the highest bit."""
    outcomes = (case.takes(item, branch, n) for n in range(MOST_OUTCOMES))
    return sum(taken << (MOST_OUTCOMES - 1 - n) for n, taken in enumerate(outcomes))
