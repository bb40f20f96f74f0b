"""Memory instructions of a kernel, by segment.

Kernel arguments and `lda` need no checks and are here; the other segments have files of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .....isa.types import Segment
from ....analysis.ranges.trips import Trips
from ....analysis.values.ssa import Op
from ...arithmetic.widths import extended
from ...llvm.text import integer
from ...runtime.context import Slot
from ..context_code import load_slot
from ..lane_code import LaneCode
from .atomics.global_atomics import Atomics
from .cold import Cold
from .global_memory import GlobalMemory
from .kernel_memory import KernelMemory
from .local.memory import LocalMemory
from .moves import Moves
from .pieces.accesses import Pieces
from .records.row_blocks import RowAccess
from .tiles.copies import TileCopies
from .tiles.lane_places import LanePlaces

if TYPE_CHECKING:
    from ..loops.carried import Carried


class Access:
    """Emits the memory instructions of one kernel."""

    def __init__(self, lanes: LaneCode, memory: KernelMemory) -> None:
        self.lanes = lanes
        moves = Moves(lanes)
        pieces = Pieces(lanes, moves)
        guarded = memory.relied.loads if memory.relied is not None else frozenset[int]()
        cold = Cold(lanes, moves, pieces, guarded)
        self.global_ = GlobalMemory(lanes, moves, cold, pieces, memory)
        self.local = LocalMemory(lanes, moves, cold, pieces, memory)
        self.tile = TileCopies(lanes, LanePlaces(lanes, self.global_.addresses, self.global_.runs))
        self._atomics = Atomics(lanes, self.local.checks, cold, moves, self.global_.addresses)
        self._arguments: dict[tuple[int, str], str] = {}

    @property
    def trips(self) -> Mapping[int, Trips]:
        """Loop -> its iterations, for those whose number is a constant."""
        return self.local.memory.ranges.trips

    def rely_on(
        self,
        certain: frozenset[Op],
        rows: Mapping[Op, RowAccess] | None = None,
        carried: Mapping[Op, Carried] | None = None,
    ) -> None:
        """Emit the code of a loop before which a test has shown that some accesses are inside."""
        self.global_.certain = self.local.checks.certain = certain
        self.global_.rows.rely_on(rows or {})
        self.global_.carried = carried or {}

    def has_sides(self, op: Op) -> bool:
        """Return whether an access has code for both sides of a test."""
        row = op.ins.row
        if not row.is_memory or row.segment is Segment.KERNARG:
            return False
        known = row.segment is not Segment.GLOBAL and not row.is_atomic
        return not known or self.local.checks.needs_test(op)

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
            if row.is_load:
                self.tile.keep(op)
            self.global_.op(op)
        elif row.segment is Segment.GROUP and self.tile.is_unread:
            if row.is_load:
                self.global_.pieces.define(op, self.tile.load(op))
        elif self.global_.rows.has(op):
            self.global_.rows.op(op)
        else:
            self.local.op(op)

    def _argument(self, op: Op) -> None:
        type_ = op.element
        key = (op.address.offset, type_.name)
        if key not in self._arguments:
            entry = self.lanes.entry
            block = entry.let(f"inttoptr i64 {load_slot(entry, Slot.KERNARG)} to ptr")
            place = entry.let(f"getelementptr i8, ptr {block}, i64 {op.address.offset}")
            raw = entry.let(f"load i{type_.bits}, ptr {place}")
            self._arguments[key] = extended(entry, raw, type_, 0)
        self.lanes.define(op, "value", [self._arguments[key]])

    def _lda(self, op: Op) -> None:
        lanes, code = self.lanes, self.lanes.code
        offset = op.address.offset & 0xFFFF_FFFF
        if op.base is None:
            lanes.define(op, "value", [str(offset)])
        elif lanes.shapes.is_uniform(op):
            lanes.define(op, "value", [code.let(f"add i32 {lanes.scalar(op.base)}, {offset}")])
        else:
            v = integer(32, lanes.n)
            chunks = lanes.vector(op.base)
            added = [code.let(f"add {v} {c}, splat (i32 {offset})") for c in chunks]
            lanes.define(op, "value", added)
            if lanes.is_counted(op):
                first = lanes.lane0(op.base)
                lanes.define(op, "lane0", [code.let(f"add i32 {first}, {offset}")])
            elif lanes.is_pieced(op):
                firsts = [code.let(f"add i32 {f}, {offset}") for f in lanes.firsts(op.base)]
                lanes.define(op, "firsts", firsts)
