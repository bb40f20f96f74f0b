"""Blocks of a kernel, whose instructions are bound to the resident lanes' arrays.

A block runs from a leader to the next instruction that may change which lanes run: a branch, `ret`,
`trap`, `barrier`, `reconverge`, or the last one before another leader. Paths are parked at leaders
only, so schemes need to be asked at leaders only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...isa.instruction import Instruction, Reg
from ...isa.table import Flags
from ...isa.types import Segment
from . import access, lanes
from .alu import dtype_of, implementation
from .resident import Group, Resident

Step = Callable[[Group], None]

_CUTS = frozenset({"br", "cbr", "ret", "trap", "barrier", "reconverge"})


@dataclass(slots=True)
class Block:
    """Instructions `start` to `stop` (exclusive); `last` changes control flow, or is None.

    `executions` and `lanes` count the warps that issued the block and their running lanes.
    """

    start: int
    stop: int
    steps: list[Step]
    last: Instruction | None
    executions: int = 0
    lanes: int = 0


def leaders(instructions: tuple[Instruction, ...]) -> set[int]:
    """Return the PCs at which a path can be parked or re-converge."""
    found = {0}
    for pc, ins in enumerate(instructions):
        if ins.row.stem in _CUTS:
            found.add(pc + 1)
        found.update(leader for leader in (ins.target, ins.join) if leader is not None)
    return {pc for pc in found if pc < len(instructions)}


def build(
    resident: Resident, executed: Callable[[Group], np.ndarray], *, every_pc: bool = False
) -> list[Block | None]:
    """Return the block that begins at each pc, or None where no block begins.

    `executed` counts the instructions that each lane of a group has executed before its current
    block. With `every_pc` each instruction is a block of its own.
    """
    instructions = resident.work.kernel.instructions
    n = len(instructions)
    starts = set(range(n)) if every_pc else leaders(instructions)
    observer = resident.work.checks.observer if resident.work.checks is not None else None
    blocks: list[Block | None] = [None] * n
    for start in starts:
        stop = start
        steps: list[Step] = []
        last = None
        while True:
            ins = instructions[stop]
            stop += 1
            if ins.row.stem in _CUTS:
                last = ins
                if observer is not None:
                    steps.append(observer.bind(resident, stop - 1, ins, lambda g: None))
                break
            if ins.row.reads_clock:
                step = _clock(resident, ins, executed, position=stop - 1 - start)
            else:
                step = bind(resident, ins)
            if observer is not None:
                step = observer.bind(resident, stop - 1, ins, step)
            steps.append(step)
            if stop in starts or stop == n:
                break
        blocks[start] = Block(start, stop, steps, last)
    return blocks


def bind(resident: Resident, ins: Instruction) -> Step:
    """Return the function that executes one instruction, except control flow, for lanes."""
    row = ins.row
    if row.is_load:
        assert ins.address is not None
        if ins.address.segment is Segment.KERNARG:
            return access.load_argument(resident, ins)
        return access.load(resident, ins)
    if row.is_store:
        return access.store(resident, ins)
    if row.is_atomic:
        return access.atomic(resident, ins)
    if row.stem in ("nop", "memfence"):
        # Stores are visible at once here, so a fence does not wait.
        return lambda g: None
    if row.is_identity:
        is_lane = Flags.CROSS_LANE in row.flags
        return lanes.cross_lane(resident, ins) if is_lane else lanes.identity(resident, ins)
    return _alu(resident, ins)


def _clock(
    resident: Resident,
    ins: Instruction,
    executed: Callable[[Group], np.ndarray],
    position: int,
) -> Step:
    """Bind `clock`: the instructions that the work-item has executed before this one.

    `position` is the number of instructions before it in its block.
    """
    assert ins.dst is not None
    register = resident.registers[ins.dst.cls.value].bits[ins.dst.index]

    def step(g: Group) -> None:
        register[g.index] = (executed(g) + position).view(np.uint64)

    return step


def _alu(resident: Resident, ins: Instruction) -> Step:
    assert ins.dst is not None and ins.row.dst is not None and ins.row.dst.type is not None
    out = resident.register(ins.dst.cls.value, ins.dst.index, ins.row.dst.type)
    if ins.row.stem == "lda":
        return _lda(resident, ins, out)
    function = implementation(ins.row, ins.literals)
    sources = [_source(resident, ins, i) for i in range(len(ins.srcs))]
    if Flags.READS_DST in ins.row.flags:
        sources.append(lambda g: out[g.index])
    match sources:
        case [a]:

            def step(g: Group) -> None:
                out[g.index] = function(a(g))

        case [a, b]:

            def step(g: Group) -> None:
                out[g.index] = function(a(g), b(g))

        case _:

            def step(g: Group) -> None:
                out[g.index] = function(*[s(g) for s in sources])

    return step


def _source(resident: Resident, ins: Instruction, position: int) -> Callable[[Group], np.ndarray]:
    operand, source = ins.row.srcs[position], ins.srcs[position]
    assert operand.type is not None
    if isinstance(source, Reg):
        array = resident.register(source.cls.value, source.index, operand.type)
        return lambda g: array[g.index]
    dtype = dtype_of(operand.type)
    # An array of one element broadcasts, and is an array where a function needs one.
    constant = np.array([source.bits], f"uint{dtype.itemsize * 8}").view(dtype)
    return lambda g: constant


def _lda(resident: Resident, ins: Instruction, out: np.ndarray) -> Step:
    """Bind `lda`: the 32-bit offset itself; arithmetic wraps as for any u32."""
    assert ins.address is not None
    base = ins.address.base
    step_bytes = np.uint32(ins.address.offset & 0xFFFF_FFFF)
    if base is None:

        def constant(g: Group) -> None:
            out[g.index] = step_bytes

        return constant
    register = resident.registers[base.cls.value].bits[base.index]

    def step(g: Group) -> None:
        out[g.index] = register[g.index] + step_bytes

    return step
