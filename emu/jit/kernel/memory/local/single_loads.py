"""Loads of group memory at known distances from lane 0's, element after element.

A CPU that gathers slowly loads sixteen elements one after the other, and puts them together, in
less time. Their places need no vector then: they are constants beside that of lane 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ......isa.types import Segment, Type
from .....analysis.values.ssa import Op
from .....analysis.warps.distances import Numbers
from ....arithmetic.widths import narrowed
from ....llvm.text import integer
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..kernel_memory import KernelMemory
from ..shuffles.routed import distances_in_elements
from .checks import LocalChecks


@dataclass(frozen=True)
class SingleLoads:
    """Emits these loads."""

    lanes: LaneCode
    memory: KernelMemory
    checks: LocalChecks
    any_places: Callable[[Op, Type, Extent], list[str]]
    """Gathers what has been tested."""

    def found_for(self, op: Op, extent: Extent) -> Numbers | None:
        """Return the lanes' distances from lane 0 in bytes, if a load is better made so."""
        row, lanes = op.ins.row, self.lanes
        if not (lanes.facts.slow_gathers and row.is_load and row.segment is Segment.GROUP):
            return None
        if lanes.is_alone or not self.memory.is_group_on_stack or not extent.is_signed:
            return None
        found = distances_in_elements(lanes, extent.base, extent.size, unit=extent.size)
        if found is None or found.multiples:
            return None
        distances = found.constants[: lanes.count]
        span = int(distances.max() - distances.min())
        return distances if span <= self.memory.group_bytes else None

    def load(self, op: Op, type_: Type, extent: Extent, distances: Numbers) -> list[str]:
        """Load the elements of all lanes, as chunks of integers of their size.

        Lanes that do not run may be beyond the group memory, where the stack has some bytes more.
        If all lanes are inside, or those that run are and the others not too far beyond, elements
        are loaded one by one, otherwise gathered.
        """
        lanes, code = self.lanes, self.lanes.code
        first = lanes.extracted0(extent.base)
        lowest, span = int(distances.min()), int(distances.max() - distances.min())
        if self.checks.all_hold(op, extent, lowest, span):
            return self._one_by_one(type_, extent, first, distances)
        start = code.let(f"add i32 {first}, {lowest & 0xFFFF_FFFF}")
        if lanes.otherwise:
            lanes.rely_on(self._inside(extent, start, span, 0))
            return self._one_by_one(type_, extent, first, distances)
        single, test, gather, after = (code.fresh_label("d") for _ in range(4))
        known = dict(lanes.local)
        code.branch(self._inside(extent, start, span, 0), single, test)
        code.block(test)
        self.checks.guard(op, extent)
        code.branch(self._inside(extent, start, span, self.memory.after_group), single, gather)
        code.block(gather)
        gathered = [narrowed(code, c, type_, lanes.n) for c in self.any_places(op, type_, extent)]
        ends = [code.current_block]
        code.jump(after)
        code.block(single)
        lanes.local = dict(known)
        loaded = self._one_by_one(type_, extent, first, distances)
        ends.append(code.current_block)
        code.jump(after)
        lanes.local = known
        code.block(after)
        t = integer(type_.bits, lanes.n)
        both = zip(gathered, loaded, strict=True)
        return [code.phi(t, *zip(one, ends, strict=True)) for one in both]

    def _inside(self, extent: Extent, start: str, span: int, after: int) -> str:
        """Return whether places from a start on are inside, or up to `after` bytes beyond."""
        wide = replace(extent, total=extent.total + after)
        if span > wide.span():
            return "false"
        code = self.lanes.code
        bad = wide.outside(code, start, wide.span() - span, 0)
        return code.let(f"xor i1 {bad}, true")

    def _one_by_one(self, type_: Type, extent: Extent, first: str, distances: Numbers) -> list[str]:
        """Load the elements at known distances from lane 0's base, an i32."""
        lanes, code, n = self.lanes, self.lanes.code, self.lanes.n
        memory = self.memory.group_place(lanes.entry)
        wide = code.let(f"zext i32 {first} to i64")
        host = code.let(f"getelementptr i8, ptr {memory}, i64 {wide}")
        t, whole, found = f"i{type_.bits}", integer(type_.bits, n), []
        for chunk in range(0, lanes.count, n):
            vector = "poison"
            for lane in range(n):
                at = extent.offset + int(distances[chunk + lane])
                place = code.let(f"getelementptr i8, ptr {host}, i64 {at}")
                one = code.let(f"load {t}, ptr {place}, align {type_.size}")
                vector = code.let(f"insertelement {whole} {vector}, {t} {one}, i32 {lane}")
            found.append(vector)
        return found
