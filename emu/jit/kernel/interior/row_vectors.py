"""Single vectors of a row, for the work-items beside its interior warps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .....isa.types import Segment
from ....analysis.lanes.interior import Assumed, InteriorShapes
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Op
from ....analysis.warps.uniformity import LaneShapes, Shapes
from ..lane_code import LaneCode
from ..memory.kernel_memory import KernelMemory
from ..variables import Variables
from ..workgroups.identity import Warp, Workgroup
from .vectors import begin_vector, may_run_apart, reads_bits
from .version import emit_edge_nodes

ITEM = "%part"
"""The work-item at which the running vector begins, an i64."""

END = "%part.end"
"""The work-item before which the vectors end: the first interior one, or the row's last."""

_ABSOLUTE = frozenset({"workitemabsid", "workitemflatabsid"})
_FAR = frozenset({None, Segment.GLOBAL, Segment.KERNARG})


@dataclass(frozen=True)
class RowVectors:
    """Code of a vector that begins at any work-item of a row."""

    HEAD, END_BLOCK = "edge_head", "edge_end"

    _wide: LaneCode
    shapes: Shapes
    plan: LanePlan
    memory: KernelMemory
    _assumed: Assumed = field(default_factory=Assumed)
    """Comparisons whose results are known, since all lanes run that are in a vector."""

    @classmethod
    def found(cls, wide: LaneCode, memory: KernelMemory) -> RowVectors | None:
        """Return the vectors of the warps of `wide`; None if these may not run apart."""
        if not may_run_apart(wide, memory):
            return None
        shapes = Shapes(wide.ssa, replace(wide.facts, width=wide.n))
        plan = LanePlan(shapes)
        if plan.sparse:
            return None
        memory = replace(memory, ranges=Ranges(shapes), last_readers=plan.last_readers)
        return cls(wide, shapes, plan, memory)

    def of_running(self, assumed: Assumed) -> RowVectors | None:
        """Return vectors whose lanes do not return at once; None if these may not run apart.

        `assumed` are the results of comparisons by which others would.
        """
        shapes = InteriorShapes(self._wide.ssa, self.shapes.facts, assumed)
        plan = LanePlan(shapes)
        if plan.sparse:
            return None
        memory = replace(self.memory, ranges=Ranges(shapes), last_readers=plan.last_readers)
        return replace(self, shapes=shapes, plan=plan, memory=memory, _assumed=assumed)

    def at(self, group: Workgroup, item: str, end: str | None = None) -> tuple[Warp, LaneCode]:
        """Return a vector that begins at a work-item and ends before another one, and its code."""
        return begin_vector(self._wide, group, self.shapes, item, end)

    def emit(
        self,
        inside: frozenset[Op],
        group: Workgroup,
        last_end: str,
        ways: tuple[tuple[str, str, str], ...],
        labels: tuple[str, str],
        counters: str,
        end_warp: Callable[[Variables], None],
    ) -> None:
        """Append the loop over vectors, which begins at the label `HEAD`.

        `ways` lead to it, with a block and what `ITEM` and `END` are there. It continues at the
        first of two labels before the interior warps, and at the second after the row's last work-
        item that may run, which is that before `last_end`.
        """
        code = self._wide.code
        code.block(self.HEAD)
        code.phi("i64", *((i, b) for b, i, _ in ways), (f"{ITEM}.next", "edge_over"), name=ITEM)
        code.phi("i64", *((e, b) for b, _, e in ways), (END, "edge_over"), name=END)
        code.branch(code.let(f"icmp slt i64 {ITEM}, {END}"), "edge", self.END_BLOCK)
        code.block("edge")
        warp, lanes = self.at(group, ITEM, END)
        variables = emit_edge_nodes(
            inside, self.plan, lanes, warp, self.memory, counters, "edge_over", self._assumed
        )
        code.block("edge_over")
        end_warp(variables)
        code.let(f"add i64 {ITEM}, {lanes.n}", f"{ITEM}.next")
        code.jump(self.HEAD)
        code.block(self.END_BLOCK)
        code.branch(code.let(f"icmp slt i64 {END}, {last_end}"), *labels)


def may_begin_anywhere(shapes: LaneShapes) -> bool:
    """Return whether all that is known of a row's warps holds wherever they begin.

    So it is if lanes are known by their places in the grid only, and if it does not matter which
    power of two divides these.
    """
    ops = (op for ops in shapes.ssa.ops.values() for op in ops)
    return not any(_depends_on_start(shapes, op) for op in ops)


def _depends_on_start(shapes: LaneShapes, op: Op) -> bool:
    row = op.ins.row
    if row.is_memory:
        return row.segment not in _FAR
    if row.is_identity:
        return row.stem not in _ABSOLUTE and not shapes.is_uniform(op)
    return reads_bits(shapes, op)
