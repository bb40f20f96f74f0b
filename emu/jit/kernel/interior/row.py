"""The interior warps of a workgroup that is a row, in a loop of their own without tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ....analysis.lanes.interior import InteriorShapes
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Op
from ....analysis.warps.uniformity import Shapes
from ..lane_code import LaneCode
from ..memory.kernel_memory import KernelMemory
from ..variables import Variables
from ..workgroups.identity import WARP, Warp, count_warps
from .bounds import HasSteps
from .decisions import global_accesses
from .runs import NEVER, Run, find_run
from .vectors import begin_vector, may_run_apart
from .version import (
    Interior,
    decide,
    emit_edge_nodes,
    emit_nodes,
    has_interior,
    inside_at_edges,
    is_small,
)

NUMBER = "%v"
"""The number of the running interior warp, an i64."""

OVER = "run_over"
"""The label at the end of an interior warp."""

VECTOR = "%part"
"""The number of the running vector of a warp at edges, counted from the row's first one."""


@dataclass(frozen=True)
class RowOfWarps:
    """The interior warps of a row, and their code."""

    BEGIN = "run"
    AFTER = "run_end"

    interior: Interior
    run: Run
    """The interior warps."""
    _inside: frozenset[Op]
    """The accesses that are inside in the warps of `_edges`."""
    _edges: Run
    """Warps that may be at edges, in which accesses are inside."""
    _plan: LanePlan
    _warp: Warp
    """The first warp of the row."""
    _lanes_of: Callable[[Warp], LaneCode]
    _begin: Callable[..., Warp]
    _memory: KernelMemory

    @classmethod
    def found(
        cls,
        lanes_of: Callable[[Warp], LaneCode],
        begin: Callable[..., Warp],
        memory: KernelMemory,
        plan: LanePlan,
        warps: str,
    ) -> RowOfWarps | None:
        """Append the search for a row's interior warps; None if they are not found that way.

        `begin(number=...)` starts a warp of the workgroup, which has `warps` (an i64) of them.
        """
        warp = begin(number="0")
        lanes = lanes_of(warp)
        if lanes.facts.group_size[1:] != (1, 1) or not has_interior(lanes, plan, None):
            return None
        try:
            interior = decide(lanes, warp, memory, in_row=True)
            if interior is None:
                return None
            run = find_run(interior.conditions, warps)
        except HasSteps:
            return None
        inside, edges = frozenset[Op](), Run(NEVER, NEVER)
        if interior.gains_at_edges and is_small(lanes):
            conditions, inside = inside_at_edges(lanes, warp, memory)
            if inside == global_accesses(lanes.ssa):
                edges = find_run(conditions, warps)
            else:
                inside = frozenset()
        return cls(interior, run, inside, edges, plan, warp, lanes_of, begin, memory)

    def emit_edges(self, counters: str) -> Variables | None:
        """Append the version for warps at edges, in the block of a warp; others continue after it.

        None if there is none.
        """
        if not self._inside:
            return None
        code = self.interior.conditions.code
        follows = code.let(f"icmp uge i64 {WARP}, {self._edges.first}")
        precedes = code.let(f"icmp slt i64 {WARP}, {self._edges.end}")
        code.branch(code.let(f"and i1 {follows}, {precedes}"), "edge", "any_warp")
        code.block("edge")
        variables = None if counters else self._emit_vectors()
        if variables is None:
            warp = self._begin()
            lanes = self._lanes_of(warp)
            self._memory.clear_private(lanes.entry, code, lanes.facts.width)
            variables = emit_edge_nodes(
                self._inside, self._plan, lanes, warp, self._memory, counters
            )
        code.block("any_warp")
        return variables

    def _emit_vectors(self) -> Variables | None:
        """Append a warp at edges vector by vector; those without work-items are left out.

        None if vectors may not run one after the other.
        """
        code, warp, wide = self.interior.conditions.code, self._warp, self._lanes_of(self._warp)
        if not may_run_apart(wide, self._memory):
            return None
        facts = replace(wide.facts, width=wide.n)
        shapes = Shapes(wide.ssa, facts)
        plan = LanePlan(shapes)
        if plan.sparse:
            return None
        first = code.let(f"mul i64 {WARP}, {wide.k}")
        end = code.let(f"add i64 {first}, {wide.k}")
        end = code.intrinsic(
            "llvm.umin", "i64", f"i64 {end}", f"i64 {count_warps(code, warp.group, facts)}"
        )
        code.jump("edge_head")
        code.block("edge_head")
        code.phi("i64", (first, "edge"), (f"{VECTOR}.next", "edge_over"), name=VECTOR)
        vector, lanes = begin_vector(wide, warp, shapes, VECTOR)
        memory = replace(self._memory, ranges=Ranges(shapes), last_readers=plan.last_readers)
        variables = emit_edge_nodes(
            self._inside, plan, lanes, vector, memory, "", after="edge_over"
        )
        code.block("edge_over")
        code.let(f"add i64 {VECTOR}, 1", f"{VECTOR}.next")
        more = code.let(f"icmp ult i64 {VECTOR}.next, {end}")
        code.branch(more, "edge_head", "warp_over")
        return variables

    def emit(self, counters: str, end_warp: Callable[[Variables], None]) -> None:
        """Append the loop, from the label `BEGIN` to `AFTER`, and continue at `warp_head`.

        `end_warp` ends the turn of a warp, whose variables it is handed.
        """
        code = self.interior.conditions.code
        code.block(self.BEGIN)
        code.jump("run_head")
        code.block("run_head")
        code.phi("i64", (self.run.first, self.BEGIN), (f"{NUMBER}.next", OVER), name=NUMBER)
        wide = self._lanes_of(self._warp)
        if self.interior.is_stream and may_run_apart(wide, self._memory):
            self._emit_stream(wide, end_warp)
        else:
            warp = self._begin(number=NUMBER)
            lanes = self._lanes_of(warp)
            self._memory.clear_private(lanes.entry, code, lanes.facts.width)
            variables = emit_nodes(self.interior, lanes, warp, self._memory, counters, after=OVER)
            code.block(OVER)
            end_warp(variables)
        code.let(f"add i64 {NUMBER}, 1", f"{NUMBER}.next")
        more = code.let(f"icmp slt i64 {NUMBER}.next, {self.run.end}")
        code.branch(more, "run_head", self.AFTER)
        code.block(self.AFTER)
        code.jump("warp_head")

    def _emit_stream(self, wide: LaneCode, end_warp: Callable[[Variables], None]) -> None:
        """Append the vectors of a warp of a stream, one after the other."""
        code = wide.code
        facts = replace(wide.facts, width=wide.n)
        shapes = InteriorShapes(wide.ssa, facts, self.interior.assumed)
        interior = replace(self.interior, shapes=shapes, plan=LanePlan(shapes))
        first = code.let(f"mul i64 {NUMBER}, {wide.k}")
        for j in range(wide.k):
            number = code.let(f"add i64 {first}, {j}")
            vector, lanes = begin_vector(wide, self._warp, shapes, number)
            after = OVER if j == wide.k - 1 else f"{OVER}{j}"
            variables = emit_nodes(
                interior, lanes, vector, self._memory, "", after=after, version=f"i{j}"
            )
            code.block(after)
            end_warp(variables)
