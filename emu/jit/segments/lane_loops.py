"""Phases as loops over the lanes of a warp: faster than vectors for few lanes at unrelated places.

    i64 loop(ptr %warp, i64 %mask)

runs a phase for each lane of the mask, which is not empty, in ascending order: what the segments of
the phase compute, and their accesses. It returns 0, or 1 if a lane traps, and then some lanes have
run. Only who takes back what a launch has done can call it (rounds.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....isa.instruction import Address, Instruction, Reg
from ....isa.program import Kernel
from ....isa.types import RegClass
from ....isa.types import Segment as MemorySegment
from ..arithmetic.atomics import result_of
from ..arithmetic.widths import element_number, extended, narrowed
from ..llvm.function_text import FunctionText, definition
from ..llvm.text import ModuleText
from ..llvm.vectors import Chunks
from ..runtime.context import BASE, DELTA, SIZE, WRITABLE, Slot, TrapCode, param_slot
from ..runtime.helpers import atomic_name
from .body import Body, argument, compute
from .phases import Phase
from .table import SegmentKind
from .warp_block import Header, Layout

_LOOP, _DONE, _FAILED = "loop", "done", "failed"


class LaneLoop(Body):
    """The loop of a phase as it grows: values are scalars, those of `%lane`."""

    def __init__(self, module: ModuleText, kernel: Kernel, layout: Layout, readonly: int) -> None:
        """`readonly` is the size of the readonly memory."""
        super().__init__(module, layout)
        self.n, self.k = 0, 1
        self.kernel, self._readonly = kernel, readonly
        self.head = self.entry.elsewhere()
        """The lines between those of `entry` and the loop's body."""
        self.code.current_block = _LOOP
        self._flags: list[tuple[str, str, str]] = []
        """Of each `$c` that is stored: its word, its bits before this lane and after it."""
        self._arguments: dict[tuple[int, str], str] = {}

    # --- registers

    def _load(self, reg: Reg) -> Chunks:
        code = self.code
        if reg.cls is not RegClass.C:
            return self.load_row(self.row(reg), reg.cls.bits)
        word = code.let(f"load i64, ptr {self.row(reg)}")
        return [code.let(f"trunc i64 {code.let(f'lshr i64 {word}, %lane')} to i1")]

    def load_row(self, base: str, bits: int) -> Chunks:
        """Return the lane's element of a row."""
        return [self.code.let(f"load i{bits}, ptr {self._element(base, bits)}")]

    def _element(self, base: str, bits: int) -> str:
        return self.code.let(f"getelementptr i{bits}, ptr {base}, i64 %lane")

    def spread(self, bits: int, scalar: str) -> Chunks:
        """Return a scalar as it is."""
        return [scalar]

    def steps(self, bits: int, step: int = 1) -> Chunks:
        """Return the number of the lane times a constant."""
        lane = self.code.let(f"trunc i64 %lane to i{bits}") if bits < 64 else "%lane"
        return [lane if step == 1 else self.code.let(f"mul i{bits} {lane}, {step}")]

    def word(self, chunks: Sequence[str], operation: str = "or disjoint") -> str:
        """Return a condition as a word of ones or zeros."""
        return self.code.let(f"sext i1 {chunks[0]} to i64")

    def stop_at(self, lanes: str, kind: TrapCode, pc: int) -> None:
        """End the loop if the lane traps."""
        fine = self.code.fresh_label("fine")
        self.code.branch(self.code.let(f"icmp eq i64 {lanes}, 0"), fine, _FAILED)
        self.code.block(fine)

    @cached_property
    def context(self) -> str:
        """The context block, a ptr, from before the loop."""
        at = 8 * Header.CONTEXT
        return self.entry.let(
            f"load ptr, ptr {self.entry.let(f'getelementptr i8, ptr %warp, i64 {at}')}"
        )

    def argument(self, ins: Instruction) -> Chunks:
        """Return a kernel argument, from before the loop."""
        assert ins.address is not None
        key = ins.address.offset, ins.row.name
        if key not in self._arguments:
            self._arguments[key] = argument(self.entry, self.context, ins)
        return [self._arguments[key]]

    def finish(self, live: frozenset[Reg]) -> None:
        """Store what has been written and is live."""
        code = self.code
        for reg in self._written:
            if reg not in live:
                continue
            (value,) = self.observed(reg)
            if reg.cls is not RegClass.C:
                place = self._element(self.row(reg), reg.cls.bits)
                code.line(f"store i{reg.cls.bits} {value}, ptr {place}")
                continue
            before = code.fresh_name()
            bit = code.let(f"shl i64 {code.let(f'zext i1 {value} to i64')}, %lane")
            self._flags.append(
                (self.row(reg), before, code.let(f"or disjoint i64 {before}, {bit}"))
            )

    # --- memory

    def access(self, pc: int, site: int) -> None:
        """Emit an access of memory."""
        code, ins = self.code, self.kernel.instructions[pc]
        row, type_, address = ins.row, ins.row.type, ins.address
        assert type_ is not None
        assert address is not None
        place = self._place(ins, address, site)
        if row.is_load:
            assert ins.dst is not None
            value = code.let(f"load i{type_.bits}, ptr {place}, align 1")
            self.write(ins.dst, [extended(code, value, type_, 0)])
            return
        # As in movers: all sources are registers.
        operands = [self.observed(reg)[0] for reg in ins.reads()[: len(ins.srcs)]]
        if row.is_atomic:
            old = self._atomic(ins, place, operands)
            if ins.dst is not None:
                self.write(ins.dst, [old])
            return
        value = narrowed(code, operands[0], type_, 0)
        code.line(f"store i{type_.bits} {value}, ptr {place}, align 1")

    def _place(self, ins: Instruction, address: Address, site: int) -> str:
        """Return the host address of an access, a ptr; end the loop if it is refused."""
        code, size = self.code, ins.row.type.size if ins.row.type else 0
        base = "0"
        if address.base is not None:
            (base,) = self.observed(address.base)
            if address.segment is not MemorySegment.GLOBAL:
                base = code.let(f"zext i32 {base} to i64")
        at = code.let(f"add i64 {base}, {address.offset}")
        if address.segment is MemorySegment.GLOBAL:
            return self._global_place(at, size, site, changes=not ins.row.is_load)
        limit, memory = {
            MemorySegment.GROUP: (self.kernel.group_size, Header.GROUP_MEMORY),
            MemorySegment.PRIVATE: (self.kernel.private_size, Header.PRIVATE_MEMORY),
            MemorySegment.READONLY: (self._readonly, None),
        }[address.segment]
        fine = code.fresh_label("fine")
        element = element_number(code, at, size, 0)
        code.branch(code.let(f"icmp ult i64 {element}, {limit // size}"), fine, _FAILED)
        code.block(fine)
        start = self.slot(Slot.READONLY) if memory is None else self.header(memory)
        if address.segment is MemorySegment.PRIVATE:
            row = code.let(f"mul i64 {code.let(f'lshr i64 {at}, 3')}, {8 * self.width}")
            of_lane = code.let(f"add i64 {row}, {code.let('shl i64 %lane, 3')}")
            at = code.let(f"add i64 {of_lane}, {code.let(f'and i64 {at}, 7')}")
        return self.place(self.pointer(start), at)

    def _global_place(self, at: str, size: int, site: int, *, changes: bool) -> str:
        """Return the host address of a simulated one: in the buffer from before the loop, or not.

        If it is in another buffer, that one is found for this lane alone.
        """
        code = self.code
        slots = self.entry.let(f"getelementptr i64, ptr {self.context}, i64 {param_slot(site, 0)}")
        expected = _Buffer.at(self.entry, slots, size, changes=changes)
        near, search, far, known = (
            code.fresh_label(stem) for stem in ("near", "search", "far", "known")
        )
        code.branch(expected.excludes(code, at, size), search, near, rarely=True)
        code.block(near)
        here = code.let(f"add i64 {at}, {expected.distance}")
        code.jump(known)
        code.block(search)
        given = f"ptr {self.context}", f"i64 {at}", f"i64 {size}", f"ptr {slots}"
        code.call("i64", "simtlab_buffer", *given)
        other = _Buffer.at(code, slots, size, changes=changes)
        code.branch(other.excludes(code, at, size), _FAILED, far)
        code.block(far)
        there = code.let(f"add i64 {at}, {other.distance}")
        code.jump(known)
        code.block(known)
        return self.pointer(code.phi("i64", (here, near), (there, far)))

    def _atomic(self, ins: Instruction, place: str, operands: list[str]) -> str:
        """Change a place; return what was there. Group memory belongs to this thread."""
        if ins.row.segment is not MemorySegment.GLOBAL:
            return self._plainly(ins, place, operands)
        code, type_ = self.code, ins.row.type
        assert type_ is not None
        plain, locked, over = (code.fresh_label(stem) for stem in ("plain", "locked", "over"))
        is_plain = code.let(f"icmp ne i64 {self.slot(Slot.PLAIN_ATOMICS)}, 0")
        code.branch(is_plain, plain, locked)
        code.block(plain)
        old = self._plainly(ins, place, operands)
        code.jump(over)
        code.block(locked)
        cells = [self.entry.let("alloca i64") for _ in range(4)]
        code.line(f"store ptr {place}, ptr {cells[0]}")
        for cell, operand in zip(cells[1:], operands, strict=False):
            code.line(f"store i{type_.bits} {operand}, ptr {cell}")
        given = f"ptr {self.context}", "i64 1", *(f"ptr {cell}" for cell in cells), "i32 1"
        code.call("i32", atomic_name(ins.row), *given)
        was = code.let(f"load i{type_.bits}, ptr {cells[3]}")
        code.jump(over)
        code.block(over)
        return code.phi(f"i{type_.bits}", (old, plain), (was, locked))

    def _plainly(self, ins: Instruction, place: str, operands: list[str]) -> str:
        code, type_ = self.code, ins.row.type
        assert type_ is not None
        t = f"i{type_.bits}"
        old = code.let(f"load {t}, ptr {place}")
        code.line(f"store {t} {result_of(code, ins.row, type_, old, operands)}, ptr {place}")
        return old

    # --- the whole

    def text(self, head: str) -> str:
        """Return the whole function, once the body has been finished."""
        code, start, last = self.code, self.head, self.code.current_block
        start.jump(_LOOP)
        start.block(_LOOP)
        start.phi("i64", ("%mask", "entry"), ("%rest", last), name="%running")
        for _, before, after in self._flags:
            start.phi("i64", (0, "entry"), (after, last), name=before)
        start.let("call i64 @llvm.cttz.i64(i64 %running, i1 true)", "%lane")
        self.module.declare("llvm.cttz.i64", "declare i64 @llvm.cttz.i64(i64, i1)")
        code.let(f"and i64 %running, {code.let('sub i64 %running, 1')}", "%rest")
        code.branch(code.let("icmp eq i64 %rest, 0"), _DONE, _LOOP)
        code.block(_DONE)
        for word, _, after in self._flags:
            old = code.let(f"load i64, ptr {word}")
            others = code.let(f"and i64 {old}, {code.let('xor i64 %mask, -1')}")
            code.line(f"store i64 {code.let(f'or i64 {others}, {after}')}, ptr {word}")
        code.ret("i64", 0)
        code.block(_FAILED)
        code.ret("i64", 1)
        return definition(head, self.entry, self.head, code)


@dataclass(frozen=True)
class _Buffer:
    """What an access needs to know of a buffer, i64 operands."""

    base: str
    places: str
    """Elements that may be accessed."""
    distance: str
    """From simulated to host addresses."""

    @classmethod
    def at(cls, code: FunctionText, slots: str, size: int, *, changes: bool) -> _Buffer:
        """Load the slots of a buffer with elements of `size` bytes."""
        base, bytes_, distance, writable = (
            code.let(f"load i64, ptr {code.let(f'getelementptr i64, ptr {slots}, i64 {which}')}")
            for which in (BASE, SIZE, DELTA, WRITABLE)
        )
        places = code.let(f"lshr i64 {bytes_}, {size.bit_length() - 1}")
        if changes:
            refused = code.let(f"icmp eq i64 {writable}, 0")
            places = code.let(f"select i1 {refused}, i64 0, i64 {places}")
        return cls(base, places, distance)

    def excludes(self, code: FunctionText, at: str, size: int) -> str:
        """Return whether an access at a simulated address is refused, an i1."""
        element = element_number(code, code.let(f"sub i64 {at}, {self.base}"), size, 0)
        return code.let(f"icmp uge i64 {element}, {self.places}")


def define_lane_loop(loop: LaneLoop, phase: Phase, sites: Mapping[int, int], name: str) -> None:
    """Define the loop of a phase; `sites` numbers the accesses of memory by pc."""
    kernel = loop.kernel
    for segment in phase.segments:
        for pc in segment.computed:
            compute(loop, kernel.instructions[pc], pc)
        if segment.kind is SegmentKind.ACCESS:
            loop.access(segment.last, sites[segment.last])
    last = phase.segments[-1]
    loop.finish(last.live | set(kernel.instructions[last.last].writes()))
    loop.module.define(name, loop.text(f"define internal i64 @{name}(ptr %warp, i64 %mask)"))
