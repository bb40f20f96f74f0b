"""The versions of a kernel that are in its code: how their lanes and warps run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....isa.program import Kernel
from ...analysis.analysis import Analysis, analyse
from ...analysis.facts import NEVER_TOGETHER, Facts, OwnMemory
from ...analysis.lanes.lane_plan import LanePlan, order_differs
from ...analysis.lanes.own_memory import has_own_memory
from ...analysis.lanes.sparse import order_shows
from ...analysis.loops.moved_runs import moved_runs
from ...analysis.suitability.barriers import arrive_whole
from ...analysis.values.ssa import Op
from ...analysis.warps.uniformity import Shapes
from ...analysis.widths.width import USUAL

if TYPE_CHECKING:
    from .counting.counted import Counted

MOST_WITH_LIMIT = 64
"""Instructions of the largest kernel whose loops are compiled three times: for all lanes, for one
of them in the same code, and for one with memory of its own."""

MOST_ALONE = 128
"""Instructions of the loops over private memory, all copies counted, of which lanes have a version
of their own beside the usual one."""


def counting_plan(shapes: Shapes, counted: Counted) -> LanePlan:
    """Return how lanes run in code that counts: alone in loops that can be counted so.

    Accesses of lanes that run alone are not watched, warps must be those of the launch, and no loop
    may be one whose iterations are compared with other warps'.
    """
    from .counting.counters import may_count_alone

    facts = shapes.facts
    if facts.width != facts.counts or facts.splits or facts.stack:
        return counted.plan
    relied = counted.relied
    if relied.loop is not None:
        return counted.plan
    alone = LanePlan(shapes, counts_alone=True)
    loops = alone.sparse.values()
    pcs = {op.pc for op in _ops_of(shapes, alone)}
    if not loops or not pcs.isdisjoint(relied.watched):
        return counted.plan
    moves_runs = any(moved_runs(shapes.ssa, loop) for loop in loops)
    if moves_runs and not pcs.isdisjoint({*relied.kept_out, *relied.ends}):
        return counted.plan
    may = may_count_alone(facts, counted.plan, counted.regions, loops)
    return alone if may else counted.plan


def traced_version(
    kernel: Kernel, analysis: Analysis, facts: Facts, counted: Counted
) -> tuple[Shapes, LanePlan] | None:
    """Return the analyses for code that counts loops by the traces of lanes that run them alone.

    None where there are no such loops, and where memory could depend on how they run.
    """
    from .counting.counters import may_trace

    if not kernel.private_size or facts.own_memory is OwnMemory.TOGETHER:
        return None
    if facts.splits or facts.stack or counted.relied.loop is not None:
        return None
    shapes = _shapes_alone(analysis, facts)
    if shapes is None:
        return None
    plan = LanePlan(shapes, traces=True)
    if not plan.sparse or any(order_shows(shapes, loop) for loop in plan.sparse.values()):
        return None
    if facts.own_memory is OwnMemory.MEASURED and len(_ops_of(shapes, plan)) > MOST_ALONE:
        return None  # nor do lanes run them alone without counts
    if not {op.pc for op in _ops_of(shapes, plan)}.isdisjoint(counted.relied.watched):
        return None
    return (shapes, plan) if may_trace(shapes.facts, counted.plan, counted.regions) else None


def versions_in(
    kernel: Kernel, analysis: Analysis, facts: Facts
) -> tuple[Facts, tuple[Shapes, LanePlan] | None]:
    """Return the facts of the usual version, and the analyses of one whose lanes run alone, if any.

    Where both could leave memory different, loops over a lane's own memory run in one way: as
    other sparse loops do on this host. Many instructions have one version, for all lanes: a second
    one takes as long to compile, and so much arithmetic pays in vectors.
    """
    if facts.counts:
        return facts, None
    measures = kernel.private_size and facts.own_memory is OwnMemory.MEASURED
    alone = version_alone(analysis, facts) if measures else None
    if alone is None:
        return facts, None
    usual = _beside_alone(kernel, facts)
    if len(_ops_of(*alone)) > MOST_ALONE:
        return usual, None
    if order_differs(alone[1], analysis.lane_plan(usual), alone[0]):
        return replace(facts, own_memory=OwnMemory.ALONE), None
    return usual, alone


def _ops_of(shapes: Shapes, plan: LanePlan) -> list[Op]:
    """Return the instructions of the loops that lanes run alone."""
    nodes = {number for loop in plan.sparse.values() for number in loop.nodes}
    return [op for number in nodes for op in shapes.ssa.ops.get(number, ())]


def version_alone(analysis: Analysis, facts: Facts) -> tuple[Shapes, LanePlan] | None:
    """Return the analyses for code whose lanes run loops over memory of their own alone.

    None where there are no such loops, and where warps take turns at barriers.
    """
    shapes = _shapes_alone(analysis, facts)
    if shapes is None:
        return None
    plan = analysis.lane_plan(shapes.facts)
    if not any(has_own_memory(shapes, loop) for loop in plan.sparse.values()):
        return None
    return shapes, plan


def _shapes_alone(analysis: Analysis, facts: Facts) -> Shapes | None:
    """Return the shapes if lanes run all sparse loops alone; None where there are barriers."""
    alone = replace(
        facts, own_memory=OwnMemory.ALONE, together_from=NEVER_TOGETHER, finds_limit=False
    )
    shapes = analysis.shapes(alone)
    if any(node.last is not None and node.last.row.is_barrier for node in shapes.flow.nodes):
        return None
    return shapes


def _beside_alone(kernel: Kernel, facts: Facts) -> Facts:
    """Return the facts of the version beside that in which lanes run loops of their own alone.

    A small kernel finds a limit for these loops, too.
    """
    if facts.finds_limit and len(kernel.words) <= MOST_WITH_LIMIT:
        either = replace(facts, own_memory=OwnMemory.ALONE)
        if analyse(kernel).lane_plan(either).finds_limit:
            return either
    return replace(facts, finds_limit=False)


def facts_in_turns(kernel: Kernel, facts: Facts) -> Facts | None:
    """Return the facts of code whose warps take turns, for the workgroups at edges of a grid.

    It is a third of the code for whole workgroups. None where these have to be one warp.
    """
    if not facts.one_warp or facts.counts or facts.rows or kernel.private_size:
        return None
    if facts.width % USUAL or facts.width == USUAL:
        return None
    usual = replace(Facts(USUAL, facts.group_size, facts.whole), poison=facts.poison)
    usual = replace(usual, few_groups=facts.few_groups, together_from=facts.together_from)
    return usual if arrive_whole(kernel, usual) else None
