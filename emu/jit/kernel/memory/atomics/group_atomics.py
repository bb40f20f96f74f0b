"""Atomics of group memory, which one thread alone accesses."""

from __future__ import annotations

from ......isa.types import Type
from .....analysis.values.ssa import Op
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..cold import Cold
from ..local.checks import LocalChecks
from .each_lane import EachLane


class GroupAtomics:
    """Emits the atomics of group memory of one kernel."""

    def __init__(self, lanes: LaneCode, checks: LocalChecks, cold: Cold, each: EachLane) -> None:
        self.lanes = lanes
        self.checks = checks
        self.cold = cold
        self._each = each
        self._places: dict[str, str] = {}

    def op(self, op: Op, type_: Type) -> None:
        """Emit one atomic whose running lanes are inside the segment."""
        lanes, code, each = self.lanes, self.lanes.code, self._each
        extent = self.checks.extent(op)
        memory = self.checks.memory.group_place(lanes.entry)
        if lanes.shapes.is_uniform(extent.base) and each.is_reduced(op):
            each.reduced(op, type_, self._place(memory, extent, lanes.scalar(extent.base)))
            return
        offsets = self._cells("offsets")
        self.cold.put(offsets, lanes.vector(extent.base), 32)

        def place(lane: str) -> str:
            offset = code.let(f"getelementptr i32, ptr {offsets}, i64 {lane}")
            return self._place(memory, extent, code.let(f"load i32, ptr {offset}"))

        olds = each.each(op, type_, place, self._cells)
        if op.ins.dst is not None:
            lanes.define(op, "value", olds)

    def _cells(self, name: str) -> str:
        """Return cells by the name of their use."""
        if name not in self._places:
            entry, memory = self.lanes.entry, self.checks.memory
            self._places[name] = memory.cells_after_group(name, entry) or self.cold.cells(name)
        return self._places[name]

    def _place(self, memory: str, extent: Extent, offset: str) -> str:
        """Return the host address of an offset from an extent's own one, an i32."""
        code = self.lanes.code
        wide = code.let(f"zext i32 {offset} to i64")
        moved = code.let(f"add i64 {wide}, {extent.offset}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {moved}")
