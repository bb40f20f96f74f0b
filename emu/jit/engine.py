"""The JIT as an engine: compiles a kernel for its launch, fills the context block, runs it."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from ...isa.program import Kernel
from ...isa.table import Flags
from ..engine import Interrupted, Work
from ..memory import Memory
from ..statistics import Statistics
from ..traps import Trap, TrapKind, TrapRecord
from . import order, ssa
from .build import Compiled, Level, compile_text, function_attributes
from .context import BUFFER_SLOTS, Kind, Slot, param_slot
from .lower import Lowering
from .runtime import symbols
from .shapes import Facts, Shapes
from .spin import may_spin
from .text import ModuleText

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

WIDTH = 32
"""Lanes of a warp in plain runs, whose results do not depend on it."""

SLICE = 0.05
"""Seconds of native code after which an interrupt is looked at, if workgroups are short enough."""

MAX_COPY = 1 << 18
"""Bytes of buffers that are worth copying before a launch that may turn out to hang."""

VERDICT_BUDGET = 1 << 16
"""Instructions per work-item that the interpreter gets to say why a launch hangs."""

QUICK_ABOVE = 150
"""Instructions from which on compile time counts more than the last percent of speed."""


def run(work: Work) -> Statistics | None:
    """Run a launch.

    The interpreter does it where statistics of the scheme are asked for, and for kernels whose
    results depend on who issues together or who is scheduled when.
    """
    if work.stats or depends_on_schedule(work.kernel):
        from ..interp.interpreter import run as interpret

        return interpret(work)
    try:
        execute(work)
    except KeyboardInterrupt:
        raise Interrupted(None) from None
    return None


def depends_on_schedule(kernel: Kernel) -> bool:
    """Whether lanes look at each other (cross-lane, clock) or wait for each other's stores."""
    found = _SCHEDULED.get(kernel.words)
    if found is None:
        found = any(Flags.CROSS_LANE in ins.row.flags for ins in kernel.instructions)
        if not found and any(ins.row.is_memory for ins in kernel.instructions):
            flow = order.build(kernel.instructions)
            found = bool(flow.loops) and may_spin(ssa.build(kernel.instructions, flow))
        _SCHEDULED[kernel.words] = found
    return found


_SCHEDULED: dict[tuple[int, ...], bool] = {}


def depends_on_width(kernel: Kernel) -> bool:
    """Whether results depend on the warp width."""
    return any(ins.row.stem in ("laneid", "waveid", "wavesize") for ins in kernel.instructions)


@dataclass
class Code:
    """A compiled kernel and what it needs."""

    compiled: Compiled
    function: Callable[[int, int, int], int]
    frame_bytes: int
    loops: bool

    def run(self, context: np.ndarray, n_groups: int) -> bool:
        """Run all workgroups; True if one trapped.

        In slices of `SLICE` seconds or so: Python sees an interrupt only between two calls.
        """
        address = context.ctypes.data
        first, step = 0, 1
        while first < n_groups:
            last = min(n_groups, first + step)
            start = time.perf_counter()
            if self.function(address, first, last):
                return True
            seconds = time.perf_counter() - start
            first = last
            step *= 16 if seconds < SLICE / 32 else 2 if seconds < SLICE / 2 else 1
        return False


_COMPILED: dict[tuple[object, ...], Code] = {}


def generate(kernel: Kernel, readonly_bytes: int, facts: Facts) -> str:
    """The IR text of a kernel: `kernel`, and `frame_bytes` for what a waiting warp keeps."""
    flow = order.build(kernel.instructions)
    form = ssa.build(kernel.instructions, flow)
    module = ModuleText(function_attributes())
    lowering = Lowering(module, kernel, readonly_bytes, form, Shapes(form, facts))
    module.define("kernel", lowering.function())
    frame = f"define i64 @frame_bytes() #0 {{\n  ret i64 {lowering.frame_size}\n}}\n"
    module.define("frame_bytes", frame)
    return str(module)


def compiled(work: Work, facts: Facts) -> Code:
    """The code of a kernel under some facts, from memory or made now."""
    kernel = work.kernel
    key = (
        kernel.words,
        kernel.params,
        kernel.group_size,
        kernel.private_size,
        len(work.program.readonly_data),
        facts,
    )
    found = _COMPILED.get(key)
    if found is None:
        module = compile_text(
            lambda: generate(kernel, len(work.program.readonly_data), facts),
            ["kernel", "frame_bytes"],
            level=Level.QUICK if len(kernel.words) > QUICK_ABOVE else Level.FULL,
            key=repr(key),
            symbols=symbols(),
        )
        frame_bytes = ctypes.CFUNCTYPE(ctypes.c_int64)(module["frame_bytes"])()
        loops = any(
            ins.target is not None and ins.target <= pc
            for pc, ins in enumerate(kernel.instructions)
        )
        found = _COMPILED[key] = Code(module, _FUNCTION(module["kernel"]), frame_bytes, loops)
    return found


def execute(work: Work) -> None:
    """Compile if need be and run; raises Trap."""
    geometry = work.geometry
    width = geometry.width if depends_on_width(work.kernel) else WIDTH
    items = prod(geometry.group_size)
    whole = items % width == 0 and all(
        i % g == 0 for i, g in zip(geometry.items, geometry.group_size, strict=True)
    )
    facts = Facts(width, geometry.group_size, whole)
    code = compiled(work, facts)
    warps = -(-geometry.largest_group // width)
    kernel, memory = work.kernel, work.memory
    context = np.zeros(Slot.PARAMS + BUFFER_SLOTS * len(kernel.params), np.int64)
    kernargs = np.frombuffer(work.kernargs or b"\0" * 8, np.uint8)
    readonly = np.frombuffer(work.program.readonly_data or b"\0" * 8, np.uint8)
    live = [b for b in memory.buffers if b.alive and b.size]
    table = np.array(
        [[b.base, b.size, b.host.ctypes.data - b.base, b.writable] for b in live] or [[0] * 4],
        np.int64,
    )
    group = np.zeros(kernel.group_size + 64, np.uint8)
    private = np.zeros(kernel.private_size * width * warps + 64, np.uint8)
    frames = np.zeros(code.frame_bytes * warps + 64, np.uint8)
    for slot, array in (
        (Slot.KERNARG, kernargs),
        (Slot.READONLY, readonly),
        (Slot.BUFFERS, table),
        (Slot.GROUP_MEMORY, group),
        (Slot.PRIVATE_MEMORY, private),
        (Slot.FRAMES, frames),
    ):
        context[slot] = array.ctypes.data
    context[Slot.N_BUFFERS] = len(live)
    context[Slot.BUDGET] = work.budget * width
    context[Slot.ITEMS_X : Slot.ITEMS_X + 3] = geometry.items
    context[Slot.GROUPS_X : Slot.GROUPS_X + 3] = geometry.groups
    context[Slot.EXITED_ARRIVE] = work.exited_arrive
    for position, param in enumerate(kernel.params):
        if param.is_pointer:
            address = int.from_bytes(work.kernargs[param.offset : param.offset + 8], "little")
            buffer = memory.find(address)
            if buffer is not None and buffer.alive:
                at = param_slot(position, 0)
                context[at : at + 4] = (
                    buffer.base,
                    buffer.size,
                    buffer.host.ctypes.data - buffer.base,
                    buffer.writable,
                )
    before = memory.copy() if code.loops and _bytes_of(work) <= MAX_COPY else None
    if code.run(context, geometry.n_groups):
        record = trap_record(work, context)
        if record.kind is TrapKind.BUDGET and before is not None:
            raise _verdict(work, before) or work.trap(record)
        raise work.trap(record)


def _bytes_of(work: Work) -> int:
    return sum(b.size for b in work.memory.buffers if b.alive)


def _verdict(work: Work, before: Memory) -> Trap | None:
    """What the interpreter finds out about a launch that does not end, starting over."""
    from ..interp.interpreter import run as interpret

    try:
        interpret(replace(work, memory=before, budget=min(work.budget, VERDICT_BUDGET)))
    except Trap as trap:
        return trap if trap.record.kind in (TrapKind.LIVELOCK, TrapKind.SIMT_DEADLOCK) else None
    return None


def trap_record(work: Work, context: np.ndarray) -> TrapRecord:
    """The trap that generated code has left in the context block."""
    kind = Kind(int(context[Slot.TRAP_KIND]))
    pc, group, local = (int(context[s]) for s in (Slot.TRAP_PC, Slot.TRAP_GROUP, Slot.TRAP_LOCAL))
    ins = work.kernel.instructions[pc]
    match kind:
        case Kind.BUDGET:
            detail = f"a work-item has executed {work.budget} instructions"
            return TrapRecord(TrapKind.BUDGET, pc, group, local, detail=detail)
        case Kind.DIVERGENT_BARRIER:
            detail = "not all work-items of the workgroup come to this barrier"
            return TrapRecord(TrapKind.DIVERGENT_BARRIER, pc, group, local, detail=detail)
        case Kind.DIVIDE_BY_ZERO:
            return TrapRecord(TrapKind.DIVIDE_BY_ZERO, pc, group, local)
        case Kind.TRAP:
            return TrapRecord(TrapKind.TRAP, pc, group, local, code=ins.literals[0])
    assert ins.address is not None
    assert ins.row.type is not None
    address = int(context[Slot.TRAP_ADDRESS])
    size = ins.row.type.size
    trap = TrapKind[kind.name]
    if ins.address.segment.value == "global":
        address &= 0xFFFF_FFFF_FFFF_FFFF
        inside = work.memory.find(address, size)
        if kind is Kind.OUT_OF_BOUNDS and inside is not None and not inside.alive:
            trap = TrapKind.FREED
    return TrapRecord(
        trap, pc, group, local, ins.address.segment, address, size, not ins.row.is_load
    )
