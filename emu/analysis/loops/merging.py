"""Loops in loops that are run as one: which pairs gain by it.

In a nest as `for each sample: repeat until it is accepted`, lanes wait for the slowest one of each
sample. If the inner loop's header is that of both, a lane that is done with a sample begins the
next one at once. A warp then repeats as often as the lane that repeats most in total.

Both loops compute only: lanes in different samples would access memory apart.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....isa.instruction import Instruction
from ....isa.types import Segment
from ..facts import Facts
from ..flow.order import Flow, Loop, components, costs_of
from ..values import construction
from ..values.ssa import Ssa
from ..warps.uniformity import Shapes

MERGED_SHARE = 3
"""How many times as much an inner loop costs, at least, as the code around it that it is merged
with: that code then runs, for some lanes, in nearly every iteration."""

_ANY_LAUNCH = Facts(32, (64, 1, 1), whole=True)


def to_merge(code: tuple[Instruction, ...], flow: Flow) -> dict[int, int]:
    """Return outer header -> inner header of loops that should be one."""
    if not any(loop.parent is not None for loop in flow.loops):
        return {}
    costs = costs_of(code, [n for n in flow.nodes if n.latch_of is None])
    pairs = [
        (outer, inner)
        for outer in flow.loops
        for inner in flow.loops
        if inner.parent == outer.number and _may_merge(flow, outer, inner, costs)
    ]
    if not pairs:
        return {}
    form = construction.build(code, flow)
    shapes = Shapes(form, _ANY_LAUNCH)
    return {
        outer.header: inner.header
        for outer, inner in pairs
        if inner.number in shapes.divergent_loops and _only_computes(form, outer)
    }


def _may_merge(flow: Flow, outer: Loop, inner: Loop, costs: Mapping[int, int]) -> bool:
    """Return whether the graph permits it, and the code around the inner loop is short."""
    if outer.header == inner.header or outer.is_merged:
        return False
    nodes = [flow.nodes[n] for n in outer.nodes if flow.nodes[n].latch_of is None]
    if any(node.last is not None and node.last.row.is_barrier for node in nodes):
        return False
    # Lanes that may begin the outer loop anew past the inner one would have a loop of their own.
    ways = {
        n.number: [t for t in n.successors if t in outer.nodes and t != inner.header] for n in nodes
    }
    has_more_loops = any(
        len(part) > 1 or part[0] in ways[part[0]] for part in components(ways, ways)
    )
    around = sum(costs[n.number] for n in nodes if n.number not in inner.nodes)
    inside = sum(costs[n.number] for n in nodes if n.number in inner.nodes)
    if has_more_loops or not flow.has_one_entry(outer):
        return False
    return MERGED_SHARE * around <= inside


def _only_computes(form: Ssa, loop: Loop) -> bool:
    """Return whether a loop accesses no memory but kernel arguments."""
    return not any(
        op.ins.row.is_memory and op.ins.row.segment is not Segment.KERNARG
        for number in loop.nodes
        for op in form.ops.get(number, ())
    )
