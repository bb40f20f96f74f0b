"""Segments of a kernel, and the table that describes them to a timing engine.

A segment is a straight run of instructions that only its last one may end: an access of global,
group, private or readonly memory, a branch, a barrier, a fence, a marker, `ret` or `trap`. Branch
targets and joins begin segments, so that lanes enter at their first instruction; so does
`clock`, which then reads the cycle of its own issue. (Labels that no branch names do not: whether
a program has kept them must not change its times.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import count

import numpy as np

from ....asm.flow.graph import leaders, live_before
from ....isa.instruction import Imm, Instruction, Reg
from ....isa.program import Kernel
from ....isa.table import Unit
from ....isa.types import Segment as MemorySegment
from ..runtime.context import DELTA, param_slot
from .warp_block import Layout


class Grain(StrEnum):
    """The length of segments."""

    SEGMENT = "segment"
    """As long as they can be."""
    BRANCH = "branch"
    """Conditional branches are segments of their own; instructions before them issue alone."""
    INSTRUCTION = "instruction"
    """One instruction each."""


class SegmentKind(IntEnum):
    """The end of a segment."""

    FALL = 0
    """Nothing: lanes continue with the next one."""
    BRANCH = 1
    JUMP = 2
    ACCESS = 3
    BARRIER = 4
    EXIT = 5
    TRAP = 6
    RECONVERGE = 7
    FENCE = 8


class Space(IntEnum):
    """The memory of an access; NONE for segments without one."""

    NONE = 0
    GLOBAL = 1
    GROUP = 2
    PRIVATE = 3
    READONLY = 4


UNITS = (
    Unit.CONTROL,
    Unit.MOVE,
    Unit.ID,
    Unit.INT,
    Unit.FLOAT,
    Unit.SYNC,
    Unit.MEMORY,
    Unit.DIV,
    Unit.COMPLEX,
)
"""Functional units by how long they keep an instruction; the table has positions in here."""

FIELDS = (
    "fn",  # address of the segment's function, 0 if it computes nothing
    "move",  # address of the function that moves the data of an ACCESS, else 0
    "n_instr",  # instructions, the last one included
    "kind",  # SegmentKind
    "next",  # segment of lanes that do not branch (of a JUMP: its target), -1 after the end
    "target",  # segment of a BRANCH or JUMP, else -1
    "rpc",  # segment at which a BRANCH re-converges, -1: only where all lanes have ended
    "subdivide",  # 1 where a BRANCH may subdivide the warp
    "loop",  # 1 where a BRANCH or JUMP closes or leaves a loop
    "cond_row",  # the word of a BRANCH's condition register in the warp block, else -1
    "addr_row",  # the row of the address register of an ACCESS, -1: none, the address is imm
    "delta",  # of an ACCESS of global memory by a register: where the context block has what is
    # added to its addresses for those of the host, in bytes (0 before the first use); else -1
    "imm",  # signed bytes that are added to the address; the code of a TRAP
    "lane_bytes",  # bytes per lane of an ACCESS
    "space",  # Space
    "is_load",
    "is_store",
    "is_atomic",
    "unit",  # the slowest functional unit, a position in UNITS
    "n_complex",  # instructions of the unit `complex`
    "is_join",  # 1 where a branch re-converges at its beginning
    "uses_clock",  # 1 where the header's CLOCK is read
    "first_pc",  # pc of the first and of the last instruction, in words
    "last_pc",
)
RECORD = np.dtype([(name, np.int64) for name in FIELDS])
"""One segment; names do not hide attributes of a NumPy record."""

_KINDS = {
    "cbr": SegmentKind.BRANCH,
    "br": SegmentKind.JUMP,
    "barrier": SegmentKind.BARRIER,
    "ret": SegmentKind.EXIT,
    "trap": SegmentKind.TRAP,
    "reconverge": SegmentKind.RECONVERGE,
    "memfence": SegmentKind.FENCE,
}
_SPACES = {
    MemorySegment.GLOBAL: Space.GLOBAL,
    MemorySegment.GROUP: Space.GROUP,
    MemorySegment.PRIVATE: Space.PRIVATE,
    MemorySegment.READONLY: Space.READONLY,
}


@dataclass(frozen=True)
class Segment:
    """Instructions `first` to `last` (inclusive). The last one decides what `kind` it is."""

    number: int
    first: int
    last: int
    kind: SegmentKind
    live: frozenset[Reg] = frozenset()
    """Registers that may be read after the function, by the move of an ACCESS too."""

    @property
    def computed(self) -> range:
        """The pcs of what the function computes: all but the end that is the engine's business."""
        return range(self.first, self.last + (self.kind is SegmentKind.FALL))


def kind_of(ins: Instruction) -> SegmentKind:
    """Return the kind of the segment that an instruction ends; FALL if it does not end one."""
    if ins.row.is_memory and ins.row.segment is not MemorySegment.KERNARG:
        return SegmentKind.ACCESS
    return _KINDS.get(ins.row.stem, SegmentKind.FALL)


def cut(kernel: Kernel, grain: Grain) -> tuple[Segment, ...]:
    """Return the segments of a kernel in the order of its code.

    At the grain of instructions every register is live: a caller may read any after a step.
    """
    code = kernel.instructions
    begins = [pc for ins in code for pc in (ins.target, ins.join)]
    begins += [
        pc
        for pc, ins in enumerate(code)
        if ins.row.stem == "clock" or (grain is Grain.BRANCH and ins.row.stem == "cbr")
    ]
    each = grain is Grain.INSTRUCTION
    firsts = leaders(begins, [each or kind_of(ins) is not SegmentKind.FALL for ins in code])
    ends = [pc - 1 for pc in (*firsts[1:], len(code))]
    segments = tuple(
        Segment(number, first, last, kind_of(code[last]))
        for number, (first, last) in enumerate(zip(firsts, ends, strict=True))
    )
    if each:
        everything = frozenset(r for ins in code for r in (*ins.reads(), *ins.writes()))
        live = [everything] * len(segments)
    else:
        live = _liveness(code, segments)
    return tuple(
        Segment(s.number, s.first, s.last, s.kind, after)
        for s, after in zip(segments, live, strict=True)
    )


def successors(code: tuple[Instruction, ...], segment: Segment) -> tuple[int, int]:
    """Return (pc of lanes that do not branch, pc that they branch to); -1 for none."""
    ins = code[segment.last]
    match segment.kind:
        case SegmentKind.EXIT | SegmentKind.TRAP:
            return -1, -1
        case SegmentKind.JUMP:
            assert ins.target is not None
            return ins.target, ins.target
        case SegmentKind.BRANCH:
            assert ins.target is not None
            return segment.last + 1, ins.target
        case _:
            return segment.last + 1, -1


def _liveness(code: tuple[Instruction, ...], segments: tuple[Segment, ...]) -> list[frozenset[Reg]]:
    """Return the registers of a lane that are read after each segment's function.

    Lanes outside a segment's mask keep theirs, so that each lane is a case of its own.
    """
    by_pc = {s.first: s.number for s in segments}
    following = {s.number: {by_pc[pc] for pc in successors(code, s) if pc >= 0} for s in segments}
    reads: dict[int, frozenset[Reg]] = {}
    writes: dict[int, frozenset[Reg]] = {}
    for segment in segments:
        body = code[segment.first : segment.last + 1]
        reads[segment.number] = _before(body, frozenset())
        writes[segment.number] = frozenset(reg for ins in body for reg in ins.writes())
    before = live_before(range(len(segments)), following, reads, writes)
    after = []
    for segment in segments:
        live = frozenset[Reg]().union(*(before[number] for number in following[segment.number]))
        # What the engine does with the last instruction comes after the function.
        rest = code[segment.computed.stop : segment.last + 1]
        after.append(_before(rest, live))
    return after


def read_at_start(kernel: Kernel, segments: tuple[Segment, ...]) -> frozenset[Reg]:
    """Return the registers of which a lane may read the zero that it starts with."""
    return live_at(kernel, segments[0])


def live_at(kernel: Kernel, segment: Segment) -> frozenset[Reg]:
    """Return the registers that lanes at the beginning of a segment may read."""
    return _before(kernel.instructions[segment.first : segment.computed.stop], segment.live)


def fixed_registers(kernel: Kernel, segments: tuple[Segment, ...]) -> dict[Reg, Instruction]:
    """Return the registers that only one instruction writes, with a kernel argument or a constant.

    It runs before each read. A debugger may change such a register nevertheless.
    """
    writers: dict[Reg, list[Instruction]] = {}
    for ins in kernel.instructions:
        for reg in ins.writes():
            writers.setdefault(reg, []).append(ins)
    at_start = read_at_start(kernel, segments)
    return {
        reg: found[0]
        for reg, found in writers.items()
        if len(found) == 1 and reg not in at_start and _is_fixed(found[0])
    }


def _is_fixed(ins: Instruction) -> bool:
    if ins.row.segment is MemorySegment.KERNARG:
        return ins.address is not None and ins.address.base is None
    return ins.row.stem == "mov" and isinstance(ins.srcs[0], Imm)


def _before(body: Sequence[Instruction], live: frozenset[Reg]) -> frozenset[Reg]:
    """Return the registers that are live before some instructions, from those after them."""
    for ins in reversed(body):
        live = (live - set(ins.writes())) | set(ins.reads())
    return live


def records(kernel: Kernel, segments: tuple[Segment, ...], layout: Layout) -> np.ndarray:
    """Return the table without its addresses, which are 0."""
    code = kernel.instructions
    by_pc = {s.first: s.number for s in segments}
    by_pc[-1] = -1
    table = np.zeros(len(segments), RECORD)
    sites = count()
    for record, segment in zip(table, segments, strict=True):
        ins, row = code[segment.last], code[segment.last].row
        inside = [code[pc].row for pc in range(segment.first, segment.last + 1)]
        following, target = successors(code, segment)
        record["n_instr"] = len(inside)
        record["kind"] = segment.kind
        record["next"] = by_pc[following]
        record["target"] = by_pc[target]
        record["rpc"] = -1 if ins.join is None else by_pc[ins.join]
        record["subdivide"] = ins.subdivide
        record["loop"] = ins.loop
        record["cond_row"] = -1
        record["addr_row"] = record["delta"] = -1
        record["unit"] = max(UNITS.index(r.unit) for r in inside)
        record["n_complex"] = sum(r.unit is Unit.COMPLEX for r in inside)
        record["uses_clock"] = any(r.stem == "clock" for r in inside)
        record["first_pc"], record["last_pc"] = segment.first, segment.last
        if segment.kind is SegmentKind.BRANCH:
            (condition,) = ins.reads()
            record["cond_row"] = layout.rows[condition]
        elif segment.kind is SegmentKind.TRAP:
            record["imm"] = ins.literals[0]
        elif segment.kind is SegmentKind.ACCESS:
            address, type_ = ins.address, row.type
            assert address is not None and type_ is not None
            site = next(sites)
            if address.base is not None:
                record["addr_row"] = layout.rows.get(address.base, -1)
                if address.segment is MemorySegment.GLOBAL:
                    record["delta"] = 8 * param_slot(site, DELTA)
            record["imm"] = address.offset
            record["lane_bytes"] = type_.size
            record["space"] = _SPACES[address.segment]
            record["is_load"] = row.is_load
            record["is_store"] = row.is_store
            record["is_atomic"] = row.is_atomic
    joins = table["rpc"][table["kind"] == SegmentKind.BRANCH]
    table["is_join"][joins[joins >= 0]] = 1
    return table
