"""The trap that native code leaves in the context block."""

from __future__ import annotations

import numpy as np

from ...engine import Work
from ...traps import TrapKind, TrapRecord
from ..runtime.context import Slot, TrapCode


def trap_record(work: Work, context: np.ndarray) -> TrapRecord:
    """Return the trap that generated code has left in the context block."""
    kind = TrapCode(int(context[Slot.TRAP_KIND]))
    pc, group, local = (int(context[s]) for s in (Slot.TRAP_PC, Slot.TRAP_GROUP, Slot.TRAP_LOCAL))
    ins = work.kernel.instructions[pc]
    match kind:
        case TrapCode.BUDGET:
            detail = f"a work-item has executed {work.budget} instructions"
            return TrapRecord(TrapKind.BUDGET, pc, group, local, detail=detail)
        case TrapCode.DIVERGENT_BARRIER:
            detail = "not all work-items of the workgroup reach this barrier"
            return TrapRecord(TrapKind.DIVERGENT_BARRIER, pc, group, local, detail=detail)
        case TrapCode.DIVIDE_BY_ZERO:
            return TrapRecord(TrapKind.DIVIDE_BY_ZERO, pc, group, local)
        case TrapCode.TRAP:
            return TrapRecord(TrapKind.TRAP, pc, group, local, code=ins.literals[0])
    assert ins.address is not None
    assert ins.row.type is not None
    address = int(context[Slot.TRAP_ADDRESS])
    size = ins.row.type.size
    trap = TrapKind[kind.name]
    if ins.address.segment.value == "global":
        address &= 0xFFFF_FFFF_FFFF_FFFF
        inside = work.memory.find(address, size)
        if kind is TrapCode.OUT_OF_BOUNDS and inside is not None and not inside.alive:
            trap = TrapKind.FREED
    return TrapRecord(
        trap, pc, group, local, ins.address.segment, address, size, not ins.row.is_load
    )
