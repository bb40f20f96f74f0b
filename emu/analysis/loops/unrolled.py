"""Loops over private arrays with a copy of their nodes for each iteration.

In copies the offsets of private accesses are constants. Where those of all private accesses of a
kernel are, its private memory is registers (`Node.cells`), as LLVM's scalar replacement makes them
of arrays. Nothing of it is stored then, and all that is known about values holds for these, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.instruction import Instruction
from ....isa.types import RegClass
from ..flow.order import Flow, Loop, Node, Step
from .copies import Copies, copies_of, is_private

MOST_ITERATIONS = 64
"""Iterations of a loop that are copied."""

MOST_CELLS = 48
"""Places of private memory in registers: of more, most would be loaded and stored after all."""

MOST_CARRIED = 31
"""Places that a loop without copies loads before it stores to them: those of 16 lanes have no
registers beside what it computes, and would be loaded and stored in each of its iterations. In
memory they are so as well, but for any number of lanes, and with less code."""

FIRST_CELL = 64
"""The first register, of either class, in place of private memory: a kernel has 64 others."""


def unrolled(
    code: Sequence[Instruction], flow: Flow, private_bytes: int, tables: bytes
) -> list[Node] | None:
    """Return the nodes of a kernel whose private memory is registers; None if that is not so.

    `flow` is that of the source, without merged loops. `tables` are its readonly data.
    """
    chosen = {loop.number for loop in flow.loops if _may_copy(code, flow, loop)}
    found = None
    while True:
        copies = copies_of(code, flow, set(chosen), MOST_ITERATIONS, tables=tables)
        if copies is None or not copies.gain() or not _give_registers(code, copies, private_bytes):
            break
        if copies.most_carried() > MOST_CARRIED:
            return None
        found = copies
        repeated = copies.repeated()
        if not repeated:
            break
        chosen -= repeated
    return None if found is None else found.nodes()


def _may_copy(code: Sequence[Instruction], flow: Flow, loop: Loop) -> bool:
    """Return whether a loop accesses private memory, and has no barrier."""
    nodes = [flow.nodes[n] for n in loop.nodes]
    return any(
        is_private(ins) for node in nodes for ins in code[node.start : node.stop]
    ) and not any(node.last is not None and node.last.row.is_barrier for node in nodes)


def _give_registers(code: Sequence[Instruction], copies: Copies, private_bytes: int) -> bool:
    """Give each place in private memory a register; False if that cannot be, or too many."""
    sizes: dict[int, int] = {}
    for copy in copies.copies.values():
        for pc, offset in copy.offsets.items():
            type_ = code[pc].row.type
            assert type_ is not None
            if offset is None or sizes.setdefault(offset, type_.size) != type_.size:
                return False
    if len(sizes) > MOST_CELLS:
        return False
    ends = 0
    for offset, size in sorted(sizes.items()):
        if offset < ends or offset % size or offset + size > private_bytes:
            return False  # part of another place, or a fault
        ends = offset + size
    numbers = {offset: FIRST_CELL + i for i, offset in enumerate(sorted(sizes))}
    cells = {
        offset: (RegClass.D if size == 8 else RegClass.S, numbers[offset])
        for offset, size in sizes.items()
    }
    for copy in copies.copies.values():
        copy.steps = [
            step
            if (offset := copy.offsets.get(step.pc)) is None
            else Step(step.pc, cell=cells[offset])
            for step in copy.steps
        ]
    return True
