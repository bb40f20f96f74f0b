"""Reads of registers that may not have been written, found before a launch."""

from __future__ import annotations

from ...isa.instruction import Instruction, Reg
from ...isa.program import Kernel


def maybe_unwritten(kernel: Kernel) -> dict[int, tuple[Reg, ...]]:
    """Return, by pc, the registers that an instruction reads and that some path has not written.

    A forward data-flow analysis over sets of registers that every path has written. Registers that
    are absent are written on every path, so that nothing about them needs to be followed.
    """
    code = kernel.instructions
    written: list[int | None] = [None] * len(code)
    written[0] = 0
    work = [0]
    while work:
        pc = work.pop()
        known = written[pc]
        assert known is not None
        for register in code[pc].writes():
            known |= _bit(register)
        for successor in _successors(code[pc], pc, len(code)):
            before = written[successor]
            after = known if before is None else before & known
            if after != before:
                written[successor] = after
                work.append(successor)
    found: dict[int, tuple[Reg, ...]] = {}
    for pc, ins in enumerate(code):
        known = written[pc]
        if known is None:
            continue
        missing = tuple(dict.fromkeys(r for r in ins.reads() if not known & _bit(r)))
        if missing:
            found[pc] = missing
    return found


def _bit(register: Reg) -> int:
    return 1 << ("sdc".index(register.cls.value) * 64 + register.index)


def _successors(ins: Instruction, pc: int, end: int) -> list[int]:
    following = [pc + 1] if ins.row.falls_through and pc + 1 < end else []
    return following if ins.target is None else [*following, ins.target]
