"""Memory instructions in generated code: cheap checks, wide accesses, and a cold side.

This file sends each instruction to the file of its segment; kernel arguments and `lda`, which need
no checks, are done here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....isa.types import Segment
from ...analysis.ssa import Op
from ..llvm.text import integer
from ..runtime.context import Slot
from .atomics import Atomics
from .cold import Cold
from .global_memory import GlobalMemory
from .local_memory import LocalMemory
from .moves import Moves

if TYPE_CHECKING:
    from .instructions import Instructions


class Access:
    """Emits the memory instructions of one kernel."""

    def __init__(self, lowering: Instructions) -> None:
        self.low = lowering
        moves = Moves(lowering)
        cold = Cold(lowering, moves)
        self._global = GlobalMemory(lowering, moves, cold)
        self._local = LocalMemory(lowering, moves, cold)
        self._atomics = Atomics(lowering, self._local, cold)
        self._arguments: dict[tuple[int, str], str] = {}

    def op(self, op: Op) -> None:
        """Emit one instruction."""
        row = op.ins.row
        if row.stem == "lda":
            self._lda(op)
        elif row.segment is Segment.KERNARG:
            self._argument(op)
        elif row.is_atomic:
            self._atomics.op(op)
        elif row.segment is Segment.GLOBAL:
            self._global.op(op)
        else:
            self._local.op(op)

    def _argument(self, op: Op) -> None:
        type_ = op.ins.row.type
        assert type_ is not None
        assert op.ins.address is not None
        key = (op.ins.address.offset, type_.name)
        if key not in self._arguments:
            entry = self.low.entry
            block = entry.let(f"inttoptr i64 {self.low.slot(Slot.KERNARG, entry)} to ptr")
            place = entry.let(f"getelementptr i8, ptr {block}, i64 {op.ins.address.offset}")
            raw = entry.let(f"load i{type_.bits}, ptr {place}")
            if type_.bits < 32:
                how = "sext" if type_.is_signed else "zext"
                raw = entry.let(f"{how} i{type_.bits} {raw} to i32")
            self._arguments[key] = raw
        self.low.define(op, "value", [self._arguments[key]])

    def _lda(self, op: Op) -> None:
        low, code = self.low, self.low.code
        assert op.ins.address is not None
        offset = op.ins.address.offset & 0xFFFF_FFFF
        if op.base is None:
            low.define(op, "value", [str(offset)])
        elif low.shapes.is_uniform(op):
            low.define(op, "value", [code.let(f"add i32 {low.scalar(op.base)}, {offset}")])
        else:
            v = integer(32, low.n)
            chunks = low.vector(op.base)
            added = [code.let(f"add {v} {c}, splat (i32 {offset})") for c in chunks]
            low.define(op, "value", added)
