"""Loads and stores of private memory, where each lane has a place of its own at an offset."""

from __future__ import annotations

from ......isa.types import Type
from .....analysis.values.ssa import Op
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..kernel_memory import KernelMemory
from ..moves import Moves
from .checks import LocalChecks
from .few_rows import FewOffsets, FewRows, few_offsets
from .private_rows import PrivateRows


class PrivateMemory:
    """Emits the loads and stores of private memory."""

    def __init__(
        self, lanes: LaneCode, moves: Moves, memory: KernelMemory, checks: LocalChecks
    ) -> None:
        self._lanes, self._moves, self._memory, self._checks = lanes, moves, memory, checks
        self.rows = PrivateRows(lanes, moves, memory)
        self._few_rows = FewRows(lanes, moves, self.rows)

    def access(self, op: Op, type_: Type, extent: Extent) -> list[str]:
        """Access private memory: wide if all lanes use one offset, else gather or scatter.

        Return what was loaded.
        """
        lanes, checks = self._lanes, self._checks
        if lanes.is_alone:
            return self._own(op, type_, extent)
        if lanes.shapes.is_uniform(extent.base) and not self._memory.each_apart:
            base = lanes.scalar(extent.base)
            checks.guarded(op, extent, checks.scalar_outside(op, base, extent))
            return self.rows.access(op, type_, base, extent.offset)
        few = self._few_offsets(op, extent)
        if few is not None:
            return self._few_rows.access(op, type_, extent, few)
        checks.guard(op, extent)
        places = self.rows.places(extent.base, extent.offset)
        # Private memory has some bytes after it.
        return self._moves.access_each(op, type_, places, reads_on=True)

    def _few_offsets(self, op: Op, extent: Extent) -> FewOffsets | None:
        """Return the offsets of an access of whole elements in rows, if they are few."""
        if self._memory.each_apart or extent.size != self._memory.private_element:
            return None
        return few_offsets(self._lanes, self._memory.ranges, op, extent)

    def _own(self, op: Op, type_: Type, extent: Extent) -> list[str]:
        """Access the private memory of the lane that runs alone."""
        moves, base = self._moves, self._lanes.scalar(extent.base)
        self._checks.test(op)
        place = self.rows.own_place(type_, base, extent.offset)
        if op.ins.row.is_load:
            return [moves.load(type_, place)]
        self._lanes.code.line(f"store i{type_.bits} {moves.store_scalar(op, type_)}, ptr {place}")
        return []
