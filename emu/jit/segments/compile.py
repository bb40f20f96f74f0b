"""Segments: a kernel as functions that a timing engine calls, and the table that describes them.

    typedef uint64_t (*segment_fn)(uint8_t *warp, uint64_t mask);
    typedef uint64_t (*move_fn)(uint8_t *warp, uint64_t mask);
    typedef uint64_t (*start_fn)(uint8_t *warp, uint64_t group, uint64_t warp_in_group);

`warp` is a block of warp_block.py. A segment's function computes all before the instruction that
ends it, for the lanes of `mask`, and returns lanes that divide by zero; it has then stored nothing.
Its move, if it has one, is the data movement of the access that ends it, for lanes that the engine
chooses; it returns lanes refused, and has then moved nothing. In both cases the context block says
why, where, and which is the lowest of them. Both read only their arguments, the block, and through
it the context block and memory; the mask must be a part of what `start` has returned.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ....isa.instruction import Reg
from ....isa.program import Kernel, Program
from ....isa.types import Segment as MemorySegment
from ...engine import Work
from ...geometry import Geometry
from ...memory import Memory
from ...recent import Recent
from ..llvm import passes
from ..llvm.function_text import FunctionText
from ..llvm.text import ModuleText
from ..llvm.toolchain import Compiled, Level, compile_text, function_attributes
from ..runtime.aligned import aligned_bytes
from ..runtime.context import BUFFER_SLOTS, Slot, buffer_row, param_slot, set_geometry
from .body import register_place, segment_function
from .lane_loops import LaneLoop, define_lane_loop
from .movers import mover, parameters_of
from .phases import Phase, brief_registers, phases_of
from .start import START, cold_symbols, start
from .table import Grain, Segment, SegmentKind, cut, fixed_registers, read_at_start, records
from .warp_block import HEADER_BYTES, Layout, layout_of


@dataclass(frozen=True)
class Segments:
    """The compiled segments of a kernel. Code and table live as long as this object does."""

    kernel: Kernel
    width: int
    grain: Grain
    layout: Layout
    table: np.ndarray
    """One `RECORD` per segment, in the order of the code."""
    of_pc: np.ndarray
    """The segment of each pc, int64."""
    start: int
    """Address of the `start_fn`: begins a workgroup in a warp block and returns its lanes.

    It zeroes the registers and the warp's private memory and writes the identity of the warp. Warp
    0 also zeroes the group memory: start all warps of a workgroup before any of them runs.
    """
    begin: int
    """Address of a `start_fn` that leaves registers as they are if no lane reads such a zero."""
    sites: int
    """Memory instructions, which have slots of their own in the context block."""
    phases: tuple[Phase, ...]
    """Phases of the interpreter's order, if loops over lanes were asked for."""
    lane_loops: tuple[int, ...]
    """The address of the loop over lanes of each phase, 0 if there is none (lane_loops.py)."""
    in_turn: tuple[int, ...]
    """The address of what runs the segments of each phase in turn, 0 if they do nothing."""
    _code: tuple[Compiled, ...] = field(repr=False)


@dataclass
class SegmentContext:
    """The context block of a launch, and the memory it points to.

    The next launch of the same segments on the same memory can have the same block.
    """

    slots: np.ndarray
    """int64, indexed by `Slot`; TRAP_KIND is 0 as long as nothing trapped."""
    address: int
    """The host address of the block, for the header of each warp."""
    kernargs: np.ndarray
    _geometry: Geometry | None = None
    _readonly: bytes | None = None
    _memory: Memory | None = None
    _version: int = 0
    _kept: tuple[np.ndarray, ...] = field(repr=False, default=())

    def prepare(self, work: Work) -> bool:
        """Begin another launch of these segments; return whether that is possible."""
        if work.memory is not self._memory or work.memory.version != self._version:
            return False
        self._begin(work)
        return True

    def begin(self, work: Work, place: tuple[int, int]) -> None:
        """Begin a launch that sees the buffers at `place`: the address of their rows, and how many.

        The caller keeps rows and buffers alive: nothing of the launch's memory is kept here.
        """
        self.slots[Slot.PARAMS :] = 0
        self.slots[Slot.BUFFERS], self.slots[Slot.N_BUFFERS] = place
        self._begin(work)

    def _begin(self, work: Work) -> None:
        self.kernargs.data[: len(work.kernargs)] = work.kernargs
        self.slots[Slot.TRAP_KIND : Slot.TRAP_ADDRESS + 1] = 0
        if work.program.readonly_data is not self._readonly:
            self._readonly = work.program.readonly_data
            readonly = np.frombuffer(self._readonly or _NO_BYTES, np.uint8)
            self.slots[Slot.READONLY] = readonly.ctypes.data
        if work.geometry is not self._geometry:
            self._geometry = work.geometry
            _put_geometry(self.slots, work.geometry)


_NO_BYTES = b"\0" * 8


def context_of(segments: Segments, work: Work) -> SegmentContext:
    """Return the context block for a launch of these segments.

    `trapped.trap_record(work, context.slots)` returns its trap. Buffers that are added or freed
    later are not seen.
    """
    memory = work.memory
    live = [b for b in memory.buffers if b.alive and b.size]
    rows = [buffer_row(b, b.host) for b in live]
    buffers = np.array(rows or [(0,) * BUFFER_SLOTS], np.int64)
    context = empty_context(segments, len(work.kernargs))
    context.begin(work, (buffers.ctypes.data, len(rows)))
    context._memory, context._version = memory, memory.version
    context._kept = buffers, *(b.host for b in live)
    return context


def empty_context(segments: Segments, kernarg_bytes: int) -> SegmentContext:
    """Return a context block for launches with so many bytes of arguments; `begin` comes next."""
    kernargs = np.zeros(max(8, kernarg_bytes), np.uint8)
    slots = aligned_bytes(8 * (Slot.PARAMS + BUFFER_SLOTS * segments.sites)).view(np.int64)
    slots[Slot.KERNARG] = kernargs.ctypes.data
    return SegmentContext(slots, slots.ctypes.data, kernargs)


def _put_geometry(slots: np.ndarray, geometry: Geometry) -> None:
    set_geometry(slots, geometry)
    slots[Slot.GROUP_SIZE_X : Slot.GROUP_SIZE_X + 3] = geometry.group_size


def compile_segments(
    kernel: Kernel,
    program: Program,
    width: int,
    grain: Grain = Grain.SEGMENT,
    *,
    with_loops: bool = False,
) -> Segments:
    """Return the segments of a kernel for warps of `width` lanes (1 to 64).

    They come from memory, from disk, or are made now. `with_loops` asks for loops over lanes, too.
    """
    readonly_bytes = len(program.readonly_data)
    key = kernel.key, readonly_bytes, width, grain, with_loops, passes.ONLY
    found = _COMPILED.find(key)
    if found is None:
        cut_into = _Cut.of(kernel, grain, with_loops=with_loops)
        found = _COMPILED.keep(key, _compile(kernel, readonly_bytes, width, cut_into, repr(key)))
    return found


@dataclass(frozen=True)
class _Cut:
    """A kernel in segments and, if there are loops over lanes, in phases."""

    grain: Grain
    segments: tuple[Segment, ...]
    phases: tuple[Phase, ...]

    @classmethod
    def of(cls, kernel: Kernel, grain: Grain, *, with_loops: bool) -> _Cut:
        """Cut a kernel."""
        segments = cut(kernel, grain)
        return cls(grain, segments, phases_of(kernel, segments) if with_loops else ())


_COMPILED: Recent[tuple[object, ...], Segments] = Recent()


def _compile(kernel: Kernel, readonly_bytes: int, width: int, cut_into: _Cut, key: str) -> Segments:
    segments, phases = cut_into.segments, cut_into.phases
    layout = layout_of(kernel, width, brief_registers(kernel, phases))
    accesses = [s for s in segments if s.kind is SegmentKind.ACCESS]
    rows = {row.name: row for row in (kernel.instructions[s.last].row for s in accesses)}
    shared = {"simtlab_start": start(width, layout.dimensions)}
    shared |= {f"simtlab_{name}": mover(row, width) for name, row in rows.items()}
    code = compile_text(
        lambda: generate(kernel, readonly_bytes, layout, segments, phases),
        ["functions", "start", "begin", *(["lane_loops", "in_turn"] if phases else [])],
        # Straight-line code: more passes find nothing to do.
        level=passes.ONLY or Level.QUICK,
        key=f"segments {key}",
        symbols={
            **cold_symbols(ins.row for ins in kernel.instructions),
            **{name: next(iter(c.addresses.values())) for name, c in shared.items()},
        },
    )
    table = records(kernel, segments, layout)
    pointers = (ctypes.c_int64 * (2 * len(segments))).from_address(code["functions"])
    table["fn"], table["move"] = np.array(pointers, np.int64).reshape(-1, 2).T
    loops, in_turn = (
        tuple((ctypes.c_int64 * len(phases)).from_address(code[name]) if phases else ())
        for name in ("lane_loops", "in_turn")
    )
    return Segments(
        kernel,
        width,
        cut_into.grain,
        layout,
        table,
        np.repeat(np.arange(len(segments)), table["n_instr"]),
        code["start"],
        code["begin"],
        len(accesses),
        phases,
        loops,
        in_turn,
        (code, *shared.values()),
    )


def generate(
    kernel: Kernel,
    readonly_bytes: int,
    layout: Layout,
    segments: tuple[Segment, ...],
    phases: tuple[Phase, ...] = (),
) -> str:
    """Return the IR text: `start`, and `functions`, the addresses (fn, move) of each segment.

    If there are phases, `lane_loops` has the address of the loop of each, or null.
    """
    module = ModuleText(function_attributes())
    zeros = f"[{layout.lanes} x i32] zeroinitializer, align 64"
    module.define("zeros", f"@zeros = internal constant {zeros}\n")
    fixed = fixed_registers(kernel, segments) if phases else {}
    pointers: list[str] = []
    sites: dict[int, int] = {}
    parts: list[list[str]] = []
    for segment in segments:
        name, move = f"segment{segment.number}", f"move{segment.number}"
        has_code = segment_function(module, kernel, segment, layout, name, fixed)
        moves = segment.kind is SegmentKind.ACCESS
        if moves:
            site = sites[segment.last] = len(sites)
            _define_move(module, kernel, readonly_bytes, layout, segment.last, site, move)
        both = (name, has_code), (move, moves)
        pointers += (f"ptr {f'@{n}' if exists else 'null'}" for n, exists in both)
        parts.append([n for n, exists in both if exists])
    _define_table(module, "functions", pointers)
    loops = []
    for phase in phases:
        loops.append("ptr null")
        if phase.most_lanes:
            loop = LaneLoop(module, kernel, layout, readonly_bytes)
            loop.fixed = fixed
            define_lane_loop(loop, phase, sites, f"loop{phase.number}")
            loops[-1] = f"ptr @loop{phase.number}"
    if phases:
        _define_table(module, "lane_loops", loops)
        _define_table(module, "in_turn", [_in_turn(module, phase, parts) for phase in phases])
    begins = layout.total if read_at_start(kernel, segments) else HEADER_BYTES
    for name, zeroed in (("start", layout.total), ("begin", begins)):
        constants = zeroed, layout.local_ids, layout.private_bytes, layout.group_bytes
        code = FunctionText(module)
        given = "ptr %warp", "i64 %group", "i64 %index", *(f"i64 {c}" for c in constants)
        _jump(code, "simtlab_start", START, given)
        head = f"define i64 @{name}(ptr %warp, i64 %group, i64 %index) #0"
        module.define(name, f"{head} {{\n{_text(code)}}}\n")
    return str(module)


def _in_turn(module: ModuleText, phase: Phase, parts: Sequence[Sequence[str]]) -> str:
    """Define what runs the segments of a phase, and return its address, or null.

    It returns 0, or lanes that trap, and then has not run the rest.
    """
    called = [name for segment in phase.segments for name in parts[segment.number]]
    if not called:
        return "ptr null"
    if len(called) == 1:
        return f"ptr @{called[0]}"
    code = FunctionText(module)
    for name in called[:-1]:
        trapped = code.let(f"call i64 @{name}(ptr %warp, i64 %mask)")
        fine, failed = (code.fresh_label(stem) for stem in ("fine", "failed"))
        code.branch(code.let(f"icmp eq i64 {trapped}, 0"), fine, failed)
        code.block(failed)
        code.ret("i64", trapped)
        code.block(fine)
    code.ret("i64", code.let(f"tail call i64 @{called[-1]}(ptr %warp, i64 %mask)"))
    head = f"define internal i64 @phase{phase.number}(ptr %warp, i64 %mask) #0"
    module.define(f"phase{phase.number}", f"{head} {{\n{_text(code)}}}\n")
    return f"ptr @phase{phase.number}"


def _define_table(module: ModuleText, name: str, pointers: Sequence[str]) -> None:
    t = f"[{len(pointers)} x ptr]"
    module.define(name, f"@{name} = constant {t} [{', '.join(pointers)}]\n")


def _define_move(
    module: ModuleText,
    kernel: Kernel,
    readonly_bytes: int,
    layout: Layout,
    pc: int,
    site: int,
    name: str,
) -> None:
    """Define the `move_fn` of a memory instruction."""
    code = FunctionText(module)
    ins = kernel.instructions[pc]
    row, address = ins.row, ins.address
    assert address is not None

    def place(reg: Reg) -> str:
        return f"ptr {register_place(code, layout, reg)}"

    where = {
        MemorySegment.GLOBAL: 8 * param_slot(site, 0),
        MemorySegment.GROUP: kernel.group_size,
        MemorySegment.PRIVATE: kernel.private_size,
        MemorySegment.READONLY: readonly_bytes,
    }[address.segment]
    sources = [place(reg) for reg in ins.reads()[: len(ins.srcs)]]
    result = "ptr null" if ins.dst is None else place(ins.dst)
    given = [
        "ptr %warp",
        "i64 %mask",
        "ptr @zeros" if address.base is None else place(address.base),
        sources[0] if row.is_store else result,
        f"i64 {address.offset}",
        f"i64 {pc << 32 | where}",
    ]
    if row.is_atomic:
        # An operation with one operand is given it as its second one too.
        given += [sources[0], sources[-1]]
    _jump(code, f"simtlab_{row.name}", parameters_of(row), given)
    head = f"define internal i64 @{name}(ptr %warp, i64 %mask) #0"
    module.define(name, f"{head} {{\n{_text(code)}}}\n")


def _jump(code: FunctionText, to: str, parameters: str, given: Sequence[str]) -> None:
    """Emit a tail call, and the return of its result."""
    types = ", ".join(p.split()[0] for p in parameters.split(", "))
    code.module.declare(to, f"declare i64 @{to}({types})")
    result = code.let(f"tail call i64 @{to}({', '.join(given)})")
    code.ret("i64", result)


def _text(code: FunctionText) -> str:
    return "\n".join([*code.lines, ""])
