"""The JIT as an engine: what it leaves to the interpreter, a launch, and the trap it ends with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...isa.errors import Note
from ...isa.program import Kernel
from ...isa.table import Flags
from ..engine import Interrupted, Work
from ..fairness import verdict
from ..statistics import Statistics
from ..traps import TrapKind, TrapRecord
from . import order, ssa
from .context import Kind, Slot
from .plan import Plan, Table
from .slices import run_alone, run_shared
from .spin import may_spin

MAX_COPY = 1 << 18
"""Bytes of buffers that are worth copying before a launch that may turn out to hang."""


def run(work: Work) -> Statistics | None:
    """Run a launch.

    The interpreter does it where statistics of the scheme are asked for, and for kernels whose
    results depend on who issues together or who is scheduled when.
    """
    if not Plan.is_made(work) and (work.stats or depends_on_schedule(work.kernel)):
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


def execute(work: Work) -> None:
    """Compile if need be and run; raises Trap."""
    plan, table = Plan.of(work), Table.of(work.memory)
    before = table.copy() if plan.code.loops and table.size <= MAX_COPY else None
    scratches = plan.take(work, table)
    function = plan.code.function
    if len(scratches) == 1:
        trapped = run_alone(function, scratches[0], plan.n_groups)
    else:
        trapped = run_shared(function, scratches, plan.n_groups)
    record = trap_record(work, trapped.context) if trapped is not None else None
    # Not after an exception: a thread may still be at work.
    plan.give_back(scratches)
    if record is None:
        return
    if record.kind is TrapKind.BUDGET and before is not None:
        found = verdict(work, work.memory.copy(before))
        if found is not None and found.record.kind is not TrapKind.BUDGET:
            raise found
        if found is not None:
            seen = Note(f"as the interpreter sees it, {found.record.detail}")
            record = replace(record, notes=(seen,))
    raise work.trap(record)


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
