"""Atomics: a helper per operation and type does them lane after lane, in ascending order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...isa.types import RegClass, Segment
from .cold import Cold
from .context import Slot
from .localmem import LocalMemory
from .runtime import atomic_name
from .ssa import Op
from .text import integer

if TYPE_CHECKING:
    from .instructions import Instructions


class Atomics:
    """Emits the atomics of one kernel."""

    def __init__(self, lowering: Instructions, local: LocalMemory, cold: Cold) -> None:
        self.low = lowering
        self.local = local
        self.cold = cold

    def op(self, op: Op) -> None:
        """Emit one atomic."""
        low, code, cold = self.low, self.low.code, self.cold
        row, address, type_ = op.ins.row, op.ins.address, op.ins.row.type
        assert address is not None
        assert type_ is not None
        addresses, old = cold.cells("addresses"), cold.cells("cells")
        in_group = address.segment is Segment.GROUP
        if in_group:
            self._group_addresses(op, addresses)
        else:
            self._global_addresses(op, addresses)
        cells = []
        for i, name in enumerate(("as", "bs")):
            cell = cold.cells(name)
            if i < len(row.srcs):
                chunks = low.observed(op.args[i], low.vector(op.args[i]), low.n)
                cold.fill(cell, chunks, type_.reg)
            cells.append(cell)
        result = code.call(
            "i32",
            atomic_name(row.stem.removeprefix("atomic_"), type_.name),
            "ptr %ctx",
            f"i64 {cold.moves.running()}",
            f"ptr {addresses}",
            f"ptr {cells[0]}",
            f"ptr {cells[1]}",
            f"ptr {old}",
            f"i32 {int(in_group)}",
        )
        cold.check(result, op.pc)
        if op.ins.dst is not None:
            low.define(op, "value", cold.registers(old, type_))

    def _global_addresses(self, op: Op, cells: str) -> None:
        """Simulated addresses, which the helper looks up."""
        low = self.low
        assert op.ins.address is not None
        assert op.base is not None
        offset = op.ins.address.offset
        for j, chunk in enumerate(low.vector(op.base)):
            t = integer(64, low.n)
            self.cold.put(cells, j, low.code.let(f"add {t} {chunk}, splat (i64 {offset})"))

    def _group_addresses(self, op: Op, cells: str) -> None:
        """Host addresses, checked here."""
        low, code = self.low, self.low.code
        extent = self.local.extent(op)
        if extent.span() < 0:
            self.local.always_faults(op, extent)
        else:
            self.local.guard(op, extent)
        t = integer(64, low.n)
        for j, chunk in enumerate(low.vector(extent.base)):
            wide = code.let(f"zext {integer(32, low.n)} {chunk} to {t}")
            moved = code.let(f"add {t} {wide}, splat (i64 {extent.offset})")
            memory = low.spread(RegClass.D, low.slot(Slot.GROUP_MEMORY))
            self.cold.put(cells, j, code.let(f"add {t} {moved}, {memory}"))
