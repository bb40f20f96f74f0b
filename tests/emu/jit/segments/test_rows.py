"""Every row of the table as a segment of one instruction, against the interpreter's step.

One kernel holds all rows. A block of random bits goes through an instruction twice: in native code,
and as the interpreter's arrays. All bytes of the block and of memory must be the same afterwards:
what the lanes of the mask got, and what was to stay untouched.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.interp.alu import LaneFault
from simtlab.emu.interp.blocks import bind
from simtlab.emu.interp.resident import Group, Resident
from simtlab.emu.jit.runtime.aligned import aligned_bytes
from simtlab.emu.jit.runtime.context import Slot
from simtlab.emu.jit.segments.compile import compile_segments, context_of
from simtlab.emu.jit.segments.table import Grain
from simtlab.emu.jit.segments.warp_block import (
    HEADER_BYTES,
    Header,
    blocks_of,
)
from simtlab.emu.memory import Memory
from simtlab.isa.encoding import EncodingError, encode
from simtlab.isa.instruction import Address, Imm, Instruction, Reg
from simtlab.isa.program import Kernel, Param, Program, Symbol
from simtlab.isa.table import BY_NAME, TABLE, Operand, OperandKind, Row
from simtlab.isa.types import U8, U64, RegClass, Segment, mask_of

from ....quick import few
from ...support.alu_rows import bit_patterns, literal_choices
from ..support.segment_walker import FN, START

WIDTHS = [1, 7, 16, 32, 64]
BYTES = {Segment.GROUP: 1024, Segment.PRIVATE: 64, Segment.READONLY: 1024}
GROUP_NUMBER, WARP = 3, 1
SOURCE, RESULT = 1, 5
"""Sources are the registers 1, 2, ... of their classes; the result goes to number 5."""


# --- instructions


def variants(row: Row, rng: np.random.Generator) -> Iterator[Instruction]:
    """A row with registers, over its own source, with an immediate, with and without a base."""
    registers = tuple(
        Reg(o.type.reg, SOURCE + i) for i, o in enumerate(row.srcs) if o.type is not None
    )
    dst = None if row.dst is None else Reg(register_class(row.dst), RESULT)
    if row.has_address:
        assert row.segment is not None
        for address in addresses_of(row.segment):
            yield Instruction(row, dst, registers, address)
            if row.is_atomic and address.offset:
                yield Instruction(row, None, registers, address)
        return
    for literals in literals_of(row, rng):
        yield Instruction(row, dst, registers, None, literals)
    literals = literals_of(row, rng)[-1]
    for position, (operand, source) in enumerate(zip(row.srcs, registers, strict=True)):
        if dst is not None and source.cls is dst.cls:
            yield Instruction(row, source, registers, None, literals)
        if operand.kind is OperandKind.SRC:
            assert operand.type is not None
            bits = int(bit_patterns(operand.type, rng, 9)[8]) & mask_of(operand.type.bits)
            sources = (*registers[:position], Imm(bits), *registers[position + 1 :])
            yield Instruction(row, dst, sources, None, literals)


def register_class(operand: Operand) -> RegClass:
    assert operand.type is not None
    return operand.type.reg


def literals_of(row: Row, rng: np.random.Generator) -> list[tuple[int, ...]]:
    if [o.kind for o in row.literals] == [OperandKind.DIM]:
        return [(0,), (1,), (2,)]
    return literal_choices(row, rng)


def addresses_of(segment: Segment) -> list[Address]:
    match segment:
        case Segment.GLOBAL:
            return [Address(segment, Reg(RegClass.D, 4), offset) for offset in (0, -24)]
        case Segment.KERNARG:
            return [Address(segment, None, 8)]
        case _:
            base = Reg(RegClass.S, 4)
            return [
                Address(segment, base, 0),
                Address(segment, base, 8),
                Address(segment, None, 16),
            ]


def everything() -> list[Instruction]:
    """The instructions of the kernel: all rows that do something to registers or memory."""
    rng = np.random.default_rng(3)
    found = []
    for row in TABLE:
        if row.unit.value in ("control", "sync"):
            continue
        for ins in variants(row, rng):
            try:
                encode(ins, 0)
            except EncodingError:
                continue  # this immediate has no 32-bit form
            found.append(ins)
    return found


def test_all_rows_but_control_are_among_them():
    named = {ins.name for ins in everything()}
    rest = {row.stem for row in TABLE if row.name not in named}
    assert rest == {"br", "cbr", "ret", "trap", "reconverge", "nop", "barrier", "memfence"}


# --- state


class Bench:
    """A warp in the middle of a launch, as a block and as the interpreter's arrays."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rng = np.random.default_rng(width)
        self.instructions = everything()
        end = Instruction(BY_NAME["ret"])
        words = tuple(encode(ins, pc) for pc, ins in enumerate((*self.instructions, end)))
        params = tuple(Param(f"p{i}", U64, False, 8 * i) for i in range(2))
        group, private = (
            (Symbol("a", s, U8, BYTES[s], 0),) for s in (Segment.GROUP, Segment.PRIVATE)
        )
        kernel = Kernel("rows", params, words, group, private)
        readonly = self.rng.bytes(BYTES[Segment.READONLY])
        program = Program((kernel,), readonly_data=readonly)
        memory = Memory()
        self.buffers = [
            memory.add(self.rng.integers(0, 256, n, np.uint8), name)
            for n, name in ((4096, "one"), (1024, "two"))
        ]
        # A workgroup of three warps, the last one of them not full.
        y = 2 * width + (width + 1) // 2
        geometry = Geometry((2, 3 * y, 2), (1, y, 1), width)
        kernargs = self.rng.bytes(16)
        self.work = Work(program, kernel, geometry, kernargs, memory)
        self.resident = Resident(self.work, 1)
        self.resident.load(GROUP_NUMBER, 1)
        self.lanes = np.arange(WARP * width, (WARP + 1) * width)
        self.segments = compile_segments(kernel, program, width, Grain.INSTRUCTION)
        self.layout = self.segments.layout
        self.context = context_of(self.segments, self.work)
        self.group = aligned_bytes(self.layout.group_bytes)
        self.private = aligned_bytes(self.layout.private_bytes)
        self.block = blocks_of(self.layout, 1)[0]
        header = self.layout.header(self.block)
        header[Header.GROUP_MEMORY] = self.group.ctypes.data
        header[Header.PRIVATE_MEMORY] = self.private.ctypes.data
        header[Header.CONTEXT] = self.context.address
        self.all = (1 << width) - 1
        start = START(self.segments.start)
        assert start(self.block.ctypes.data, GROUP_NUMBER, WARP) == self.all
        used = sorted({r for i in self.instructions for r in (*i.reads(), *i.writes())}, key=str)
        self.registers = [r for r in used if r.cls is not RegClass.C]
        self.conditions = [r for r in used if r.cls is RegClass.C]

    def fill(self, ins: Instruction) -> None:
        """Random registers and memory; sources with the values at which things change."""
        rng, header = self.rng, HEADER_BYTES
        rows = self.layout.rows
        first = min(rows.values())
        noise = rng.integers(0, 256, self.layout.total, np.uint8)
        self.block[first:] = noise[first:]
        self.layout.header(self.block)[Header.CLOCK] = rng.integers(1 << 62)
        assert first >= header
        for operand, source in zip(ins.row.srcs, ins.srcs, strict=True):
            assert operand.type is not None
            if isinstance(source, Reg) and source.cls is not RegClass.C:
                view = self.layout.view(self.block, source)
                view[:] = bit_patterns(operand.type, rng, self.width)
        for reg in self.conditions:
            self.layout.view(self.block, reg)[0] &= np.uint64(self.all)
        for buffer in self.buffers:
            buffer.host[:] = rng.integers(0, 256, buffer.size, np.uint8)
        self.group[:] = rng.integers(0, 256, self.group.size, np.uint8)
        self.private[:] = rng.integers(0, 256, self.private.size, np.uint8)
        if ins.address is not None and ins.address.base is not None:
            self.aim(ins)

    def aim(self, ins: Instruction) -> None:
        """Addresses of one of the ways that an access may go, all inside and aligned."""
        assert ins.address is not None
        assert ins.address.base is not None
        assert ins.row.type is not None
        rng, size, segment = self.rng, ins.row.type.size, ins.address.segment
        view = self.layout.view(self.block, ins.address.base)
        lanes = np.arange(self.width)
        start, total = 0, BYTES.get(segment, 0)
        if segment is Segment.GLOBAL:
            buffer = self.buffers[int(rng.integers(2))]
            start, total = buffer.base, buffer.size
        count = (total - 8) // size
        way = rng.integers(4)
        if way == 0 and count >= self.width:
            elements = int(rng.integers(count - self.width + 1)) + lanes
        elif way == 1:
            elements = np.full(self.width, int(rng.integers(count)))
        else:
            elements = rng.integers(0, count, self.width)
        low = 0 if segment is Segment.GLOBAL else 8
        where = start + low + np.minimum(elements * size, total - 8 - size)
        if way == 3 and segment is Segment.GLOBAL:
            other = self.buffers[0].base + rng.integers(0, 1024 // size, self.width) * size
            where = np.where(rng.random(self.width) < 0.5, where, other)
        view[:] = (where - ins.address.offset).astype(np.uint64).astype(view.dtype)

    # --- the interpreter's side

    def interpret(self, ins: Instruction, mask: int) -> tuple[bytes, int]:
        """(the block afterwards, lanes that trap). Memory changes."""
        lanes = np.array([lane for lane in range(self.width) if mask >> lane & 1])
        block = self.block.copy()
        if not lanes.size:
            return block.tobytes(), 0
        resident, mine = self.resident, self.lanes
        for reg in self.registers:
            view = self.layout.view(block, reg)
            resident.registers[reg.cls.value].bits[reg.index, mine] = view
        for reg in self.conditions:
            word = int(self.layout.view(block, reg)[0])
            bits = [bool(word >> lane & 1) for lane in range(self.width)]
            resident.registers["c"].bits[reg.index, mine] = bits
        resident.group_memory[:] = self.group
        own = self.own_private(resident.private_memory)
        own[:] = self.private_by_lane()
        if ins.row.stem == "clock":
            clock = int(self.layout.header(block)[Header.CLOCK])
            step = partial(self._set_clock, ins, clock)
        else:
            step = bind(resident, ins)
        try:
            with np.errstate(all="ignore"):
                step(Group(mine[lanes], np.array([WARP]), lanes.size))
        except LaneFault as fault:
            return block.tobytes(), sum(1 << int(lanes[i]) for i in fault.lanes)
        for reg in ins.writes():
            values = resident.registers[reg.cls.value].bits[reg.index, mine]
            view = self.layout.view(block, reg)
            if reg.cls is RegClass.C:
                on = sum(int(values[lane]) << int(lane) for lane in lanes)
                view[0] = (int(view[0]) & ~mask) | on
            else:
                view[lanes] = values[lanes]
        self.group[:] = resident.group_memory
        self.private_by_lane()[:] = own
        return block.tobytes(), 0

    def _set_clock(self, ins: Instruction, clock: int, g: Group) -> None:
        """Under timing `clock` is what the engine has put into the header."""
        assert ins.dst is not None
        self.resident.registers["d"].bits[ins.dst.index, g.index] = clock

    def own_private(self, memory: np.ndarray) -> np.ndarray:
        """The warp's part of the interpreter's private memory as (width, bytes / 8, 8)."""
        by_lane = memory.reshape(-1, BYTES[Segment.PRIVATE] // 8, 8)
        return by_lane[self.lanes[0] : self.lanes[-1] + 1]

    def private_by_lane(self) -> np.ndarray:
        """The interleaved private memory as (width, bytes / 8, 8), not a copy."""
        return self.private.reshape(-1, self.width, 8).transpose(1, 0, 2)

    def memory(self) -> list[np.ndarray]:
        return [*(b.host for b in self.buffers), self.group, self.private]

    # --- both

    def masks(self) -> list[int]:
        """All lanes, none, one, and two random choices."""
        some = (int.from_bytes(self.rng.bytes(8), "little") & self.all for _ in range(2))
        return [self.all, 0, 1 << int(self.rng.integers(self.width)), *some]

    def check(self, pc: int, mask: int) -> None:
        """An instruction for some lanes."""
        ins = self.instructions[pc]
        self.fill(ins)
        before = [m.copy() for m in self.memory()]
        expected, trapped = self.interpret(ins, mask)
        wanted = [m.copy() for m in self.memory()]
        for memory, content in zip(self.memory(), before, strict=True):
            memory[:] = content
        record = self.segments.table[pc]
        got = 0
        for name in ("fn", "move"):
            if record[name]:
                got |= FN(int(record[name]))(self.block.ctypes.data, mask)
        who = f"{ins} of {self.width} lanes, mask {mask:#x}"
        assert got == trapped, who
        assert self.block.tobytes() == expected, who
        for have, want in zip(self.memory(), wanted, strict=True):
            np.testing.assert_array_equal(have, want, who)
        if trapped:
            assert self.context.slots[Slot.TRAP_PC] == pc
            lowest = (trapped & -trapped).bit_length() - 1
            assert self.context.slots[Slot.TRAP_LOCAL] == WARP * self.width + lowest


@pytest.mark.parametrize("width", few(WIDTHS, 3, 1))  # 7 and 64
def test_every_row_does_what_the_interpreter_does_to_the_lanes_of_the_mask(width: int) -> None:
    bench = Bench(width)
    for pc, ins in enumerate(bench.instructions):
        for _ in range(2 if ins.row.has_address else 1):
            masks = [
                bench.all,
                0,
                *(int(bench.rng.integers(1 << 63)) * 3 & bench.all for _ in "ab"),
            ]
            masks.append(1 << int(bench.rng.integers(width)))
            for mask in masks:
                bench.check(pc, mask)
