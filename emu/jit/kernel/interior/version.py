"""A second version of the nodes, for interior warps: all lanes run, no access has its own test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....analysis.flow.order import START
from ....analysis.lanes.interior import Assumed, InteriorShapes
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.lanes.marching import marches
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Op, Ssa
from ....analysis.warps.uniformity import LaneShapes
from .. import budget
from ..control.edges import Edges
from ..counting.counters import Counters
from ..instructions import Instructions
from ..lane_code import LaneCode
from ..loops.passes import loops_in_passes
from ..memory.kernel_memory import KernelMemory
from ..memory.repeated import Repeated
from ..nodes import Nodes
from ..variables import Variables
from ..workgroups.identity import Identity, Warp, items_of_first
from ..workgroups.one_warp import OneWarp
from .bounds import ONE, Bound, Conditions
from .decisions import Decisions, ask_for_size
from .gains import Gains
from .given_spans import Scope
from .spans import Spans
from .tiles import Tile, tile_of

MOST_OPS = 400
"""Instructions of the largest kernel that is compiled twice."""

MOST_WRITTEN = 200
"""Instructions of the largest kernel with loops, these unrolled, that gains by accesses alone."""

MOST_AT_EDGES = 150
"""Instructions of the largest kernel that is compiled once more, for warps at edges."""


def has_interior(lanes: LaneCode, plan: LanePlan, counting: Counters | None) -> bool:
    """Return whether interior warps of a kernel may have a version of their own."""
    facts = lanes.facts
    return (
        (facts.whole and not facts.rows if facts.one_warp else facts.rows)
        and (counting is None or counting.may_have_interior)
        and not plan.sparse
        and sum(map(len, lanes.ssa.ops.values())) <= MOST_OPS
    )


@dataclass(frozen=True)
class Interior:
    """What is known of interior warps."""

    conditions: Conditions
    assumed: Assumed
    inside: frozenset[Op]
    shapes: InteriorShapes
    plan: LanePlan
    memory: KernelMemory
    """The kernel's, with the ranges of values in these warps."""
    gains_at_edges: bool
    """Whether warps at edges gain by accesses without tests as well."""
    is_stream: bool
    """Whether memory decides how long they take."""
    tile: Tile
    repeated: Repeated
    """Gathers that loops repeat, of buffers to which nothing is stored."""


def is_small(ssa: Ssa) -> bool:
    """Return whether a kernel may have a third version, for warps at edges."""
    return sum(map(len, ssa.ops.values())) <= MOST_AT_EDGES


def decide(lanes: LaneCode, warp: Warp, memory: KernelMemory, *, in_row: bool) -> Interior | None:
    """Append what the conditions for interior warps are made of; None if there is little to gain.

    `in_row`: they are solved for a row of warps, of which `warp` is the first. Raises HasSteps if
    they cannot be.
    """
    code, facts = lanes.code, lanes.facts
    conditions, assumed, decisions = ask(lanes, warp, memory, Scope(in_row=in_row))
    if not facts.whole or in_row:
        first, items = (code.let(f"zext i32 {n} to i64") for n in (warp.first, warp.group.items))
        step = ((ONE, 1),) if in_row else ()
        if in_row:
            conditions.is_in_first(first, "0")
            conditions.is_in_first(items, items_of_first(lanes.entry, facts))
        end = Bound(((first, 1), (items, -1)), (), facts.width, step)
        conditions.at_most(end, 0)
    repeats = decisions.may_repeat(memory.ranges.trips)
    marching = marches(lanes.shapes, facts)
    decisions.spans.counts_to_arguments = repeats or marching
    decisions.decide()
    gains = Gains(lanes, memory.ranges, assumed, decisions.expected)
    gain_neighbours = gains.gain_neighbours(decisions.memory)
    if gain_neighbours:
        decisions.spans.count_to_arguments()
    inside = decisions.inside()
    shapes = InteriorShapes(lanes.ssa, facts, assumed)
    plan = LanePlan(shapes)
    if plan.sparse:
        return None
    version = _code_of(lanes, shapes)
    for_running = memory.ranges.scattered & inside
    own = replace(memory, ranges=Ranges(shapes), for_running=for_running)
    if loops_in_passes(version, plan):
        tile = Tile()  # its loops would be copied, and their sums have no registers
    else:
        tile = tile_of(version, plan, own.group_bytes, own.ranges, inside)
    repeated = decisions.repeated(shapes, memory.ranges.trips, inside)
    if not tile and not repeated.loads and not gain_neighbours:
        if not gains.are_enough(inside, row=facts.group_size[0] if in_row else 0):
            return None
        is_long = lanes.flow.loops and gains.written() > MOST_WRITTEN
        if is_long and not marching and not gains.has_edges():
            # The loops have versions without tests of their own, where loads share no rows.
            if not gains.share_rows(inside, decisions.memory):
                return None
    gains_at_edges = gains.are_enough_at_edges(inside)
    is_stream = gains.is_stream(inside)
    return Interior(
        conditions, assumed, inside, shapes, plan, own, gains_at_edges, is_stream, tile, repeated
    )


def inside_at_edges(
    warp: Warp, lanes: LaneCode, memory: KernelMemory
) -> tuple[Conditions, frozenset[Op]]:
    """Append the conditions under which accesses of a row's vectors are inside, for all lanes.

    `warp` is the row's first vector. Nothing else is asked of these, and what cannot be solved for
    a row is left out.
    """
    conditions, _, decisions = ask(lanes, warp, memory, Scope(in_row=True, assumes=False))
    return conditions, decisions.inside()


def runs_at_all(
    warp: Warp, lanes: LaneCode, memory: KernelMemory
) -> tuple[Conditions, Assumed] | None:
    """Append the conditions under which one work-item of a row does not return at once.

    `warp` is the row's first vector. None if none can be solved for a row. Comparisons have the
    results that are returned, too, in work-items for which all conditions hold.
    """
    scope = Scope(in_row=True, assumes=False, running=ONE)
    conditions, assumed, decisions = ask(lanes, warp, memory, scope)
    return (conditions, assumed) if decisions.decide_guards() else None


def ask(
    lanes: LaneCode, warp: Warp, memory: KernelMemory, scope: Scope
) -> tuple[Conditions, Assumed, Decisions]:
    """Return what a version will rely on: so far on the launch's size alone (`Spans`)."""
    conditions, assumed = Conditions(lanes.entry, lanes.code), Assumed()
    instructions = Instructions(lanes, memory, Identity(lanes, warp).op)
    spans = Spans(lanes, instructions, conditions, memory, assumed, scope)
    ask_for_size(conditions)
    decisions = Decisions(lanes, spans, conditions, assumed, instructions.access.global_)
    return conditions, assumed, decisions


def emit_interior(
    lanes: LaneCode,
    warp: Warp,
    memory: KernelMemory,
    counters: str,
    counting: Counters | None,
) -> Variables | None:
    """Append the version for interior warps, and a test which warps are; others continue after it.

    `lanes` is the code of all warps, `counters` (a ptr) where work-items count their budget;
    `counting` counts the warps if asked for.
    Returns the variables of the version; None if there is none.
    """
    interior = decide(lanes, warp, memory, in_row=False)
    if interior is None:
        return None
    interior.conditions.branch("interior", "any_warp")
    lanes.code.block("interior")
    variables = emit_nodes(interior, lanes, warp, counters, counting=counting)
    lanes.code.block("any_warp")
    return variables


def emit_nodes(
    interior: Interior,
    lanes: LaneCode,
    warp: Warp,
    counters: str,
    after: str = "warp_over",
    counting: Counters | None = None,
    version: str = "i",
) -> Variables:
    """Append the nodes of an interior warp, which continues at the label `after`.

    Labels of the nodes begin with `version`. A stream tests single vectors for rare lanes.
    """
    shapes, assumed = interior.shapes, interior.assumed
    code = _code_of(lanes, shapes)
    code.outside = {**assumed.known}
    code.rare.tests_single = interior.is_stream
    counted = counting.of_interior(code, interior.plan) if counting is not None else None
    has_barrier = any(n.last is not None and n.last.row.is_barrier for n in lanes.flow.nodes)
    over = f"{version}over" if has_barrier else after
    edges = Edges(code, interior.plan, counted, version=version, after=over)
    barriers = OneWarp(code, warp, edges) if has_barrier else None
    nodes = Nodes(edges, interior.memory, warp, barriers, interior.tile.loops)
    nodes.ops.assume(assumed, interior.inside, interior.tile.copies, interior.repeated)
    _begin(code, edges, ["splat (i1 true)"] * lanes.k, counters)
    nodes.emit()
    if barriers is not None:
        lanes.code.block(over)
        barriers.end()
        lanes.code.jump(after)
    return code.variables


def emit_edge_nodes(
    inside: frozenset[Op],
    plan: LanePlan,
    lanes: LaneCode,
    warp: Warp,
    memory: KernelMemory,
    counters: str,
    after: str,
    assumed: Assumed,
    version: str = "e",
) -> Variables:
    """Append the nodes of a vector of which some accesses are inside; it continues at `after`.

    So it does with a part of a warp, for which tests have shown what is `assumed`.
    """
    code = _code_of(lanes, memory.ranges.shapes)
    code.outside = {**assumed.known}
    edges = Edges(code, plan, version=version, after=after)
    _begin(code, edges, warp.existing, counters)
    nodes = Nodes(edges, memory, warp, None)
    nodes.ops.lists = False
    nodes.ops.assume(assumed, inside)
    nodes.emit()
    return code.variables


def _code_of(lanes: LaneCode, shapes: LaneShapes) -> LaneCode:
    """Return code with variables of its own, after that of all warps."""
    variables = Variables(lanes.entry, lanes.code)
    return LaneCode(variables, lanes.table, shapes, lanes.facts, lanes.width, lanes.report)


def _begin(lanes: LaneCode, edges: Edges, mask: Sequence[str], counters: str) -> None:
    """Let a warp begin in one version of the nodes."""
    if counters:
        budget.fill(lanes, counters)
    edges.clear_all()
    edges.enter(START, mask)
