"""A second version of the nodes, for interior warps: all lanes run, no access has its own test."""

from __future__ import annotations

from dataclasses import replace

from ....analysis.lanes.interior import Assumed, InteriorShapes
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.order import START
from ....analysis.ranges.offset_ranges import Ranges
from .. import budget
from ..counters import Counters
from ..edges import Edges
from ..identity import Identity, Warp
from ..instructions import Instructions
from ..lane_code import LaneCode
from ..memory.kernel_memory import KernelMemory
from ..nodes import Nodes
from ..variables import Variables
from .bounds import Conditions
from .decisions import Decisions, ask_for_size
from .spans import Spans

MOST_OPS = 400
"""Instructions of the largest kernel that is compiled twice."""


def has_interior(lanes: LaneCode, plan: LanePlan, counting: Counters | None) -> bool:
    """Return whether interior warps of a kernel may have a version of their own."""
    facts = lanes.facts
    return (
        facts.rows
        and (counting is None or counting.may_have_interior)
        and not plan.sparse
        and sum(map(len, lanes.ssa.ops.values())) <= MOST_OPS
    )


def emit_interior(
    lanes: LaneCode,
    warp: Warp,
    memory: KernelMemory,
    counters: str,
    counting: Counters | None = None,
) -> Variables | None:
    """Append the version for interior warps, and a test which warps are; others continue after it.

    `lanes` is the code of all warps, `counters` (a ptr) where work-items count their budget;
    `counting` counts the warps if asked for.
    Returns the variables of the version; None if there is none.
    """
    code, facts = lanes.code, lanes.facts
    conditions, assumed = Conditions(lanes.entry, code), Assumed()
    instructions = Instructions(lanes, memory, Identity(lanes, warp).op)
    spans = Spans(lanes, instructions, conditions, memory.params, memory.ranges.trips, assumed)
    ask_for_size(conditions)
    if not facts.whole:
        last = code.let(f"add i32 {warp.first}, {facts.width}")
        conditions.require(code.let(f"icmp ule i32 {last}, {warp.group.items}"))
    memory_code = instructions.access.global_
    decisions = Decisions(lanes.ssa, lanes.shapes, spans, conditions, assumed, memory_code)
    inside = decisions.decide()
    if not decisions.gains(inside):
        return None
    shapes = InteriorShapes(lanes.ssa, facts, assumed)
    plan = LanePlan(shapes)
    if plan.sparse:
        return None
    conditions.branch("interior", "any_warp")
    code.block("interior")
    variables = Variables(lanes.entry, code)
    interior = LaneCode(variables, lanes.table, shapes, facts, lanes.width, lanes.report)
    interior.outside = {**assumed.known}
    counted = counting.of_interior(interior, plan) if counting is not None else None
    edges = Edges(interior, plan, counted, version="i")
    if counters:
        budget.fill(interior, counters)
    edges.clear_all()
    edges.enter(START, ["splat (i1 true)"] * lanes.k)
    nodes = Nodes(interior, plan, replace(memory, ranges=Ranges(shapes)), warp, edges, None)
    nodes.assume(assumed, inside)
    nodes.emit()
    code.block("any_warp")
    return variables
