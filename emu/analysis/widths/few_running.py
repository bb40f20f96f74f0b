"""Warps of few lanes, where a guard between barriers leaves some lanes a loop of gathers.

In a table that is filled diagonal by diagonal, each work-item has a cell, and runs through what
came before it. A gather takes as long for few running lanes as for many. Narrow warps of which no
lane runs skip the loop.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ....isa.program import Kernel
from ....isa.types import Segment
from ..analysis import analyse
from ..facts import Facts
from ..flow.order import Flow, Loop
from ..lanes.sparse import ways_out
from ..values.ssa import Op
from ..warps.uniformity import Shapes
from .in_turn import is_easy
from .registers import lane_step
from .straight import compares_scalars
from .width import FEW


def few_running_facts(kernel: Kernel, facts: Facts) -> Facts | None:
    """Return the facts of warps of few lanes for kernels with such a loop; None for others."""
    lanes, flow = prod(facts.group_size), analyse(kernel).ssa.flow
    if lanes % FEW or lanes <= FEW:
        return None
    loops = [(loop, around) for loop in flow.loops if (around := _between_barriers(flow, loop))]
    if not loops:
        return None
    shapes = analyse(kernel).shapes(facts)
    gains = any(
        _gathers(shapes, loop) and _is_left_at_once(shapes, loop) and _is_guarded(shapes, loop, n)
        for loop, n in loops
    )
    return replace(facts, width=FEW, chunk=FEW) if gains else None


def _between_barriers(flow: Flow, loop: Loop) -> set[int]:
    """Return the nodes of the loops with a barrier around a loop that has none."""
    waits = {n.number for n in flow.nodes if n.last is not None and n.last.row.is_barrier}
    if loop.parent is None or loop.nodes & waits:
        return set()
    around = [other.nodes for other in flow.loops if loop.nodes < other.nodes]
    return {n for nodes in around if nodes & waits for n in nodes}


def _gathers(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a loop accesses group memory alone, half of the time or more in no order."""
    ops = [op for n in loop.nodes for op in shapes.ssa.ops.get(n, ())]
    accesses = [op for op in ops if op.ins.row.has_address]
    hard = [op for op in accesses if not is_easy(shapes, op)]
    return 2 * len(hard) >= len(accesses) > 0 and all(
        op.ins.row.segment is Segment.GROUP and not op.ins.row.is_atomic for op in accesses
    )


def _is_left_at_once(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes that enter a loop together leave it so.

    A loop in which each lane takes every n-th number of a range is another matter: most lanes run.
    """
    leaving = [shapes.ssa.conditions[source] for source, _ in ways_out(shapes.flow, loop)]
    steps = [
        {lane_step(shapes, a) for a in c.args} if isinstance(c, Op) else {None} for c in leaving
    ]
    return all(len(found) == 1 and None not in found for found in steps)


def _is_guarded(shapes: Shapes, loop: Loop, around: set[int]) -> bool:
    """Return whether numbers of lanes say which run a loop, on a branch at the nodes around it."""
    conditions = shapes.ssa.conditions
    return any(
        isinstance(condition := conditions[branch], Op)
        and compares_scalars(shapes, condition)
        and not shapes.passes(branch, loop.header)
        for branch in (around - loop.nodes) & conditions.keys() - shapes.uniform_branches()
    )
