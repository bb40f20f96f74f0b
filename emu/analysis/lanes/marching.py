"""Loops with barriers through planes or tiles, in which work-items' numbers decide who loads what.

A workgroup that is one warp may march through the planes of a grid, or along the tiles of two
matrices. How often it does so is an argument. If only the numbers of work-items decide which lanes
access memory in such loops, as at the edges of a tile, each iteration accesses the same lanes'
places, some planes further on. If data or arguments decide, as past the end of a row, what is left
out may be outside of a buffer in all workgroups.
"""

from __future__ import annotations

from ..facts import Facts
from ..values.item_numbers import KnownNumbers, Results
from ..values.ssa import Op
from ..warps.uniformity import LaneShapes


def marches(shapes: LaneShapes, facts: Facts) -> bool:
    """Return whether loops of a warp leave accesses out by the numbers of work-items alone."""
    ssa = shapes.ssa
    if not facts.one_warp or not ssa.flow.loops:
        return False
    known = KnownNumbers(Results(facts.group_size, whole=facts.whole))
    for value in ssa.values():
        if isinstance(value, Op):
            known.calculate(value)
    return all(
        _ends_iterations(shapes, number)
        if shapes.is_uniform(condition)
        else known.of(condition) is not None
        for number, condition in ssa.conditions.items()
        if ssa.flow.loop_of[number] is not None
    )


def _ends_iterations(shapes: LaneShapes, number: int) -> bool:
    """Return whether a branch is the last of an iteration: it begins the next one or leaves."""
    flow = shapes.ssa.flow
    (loop,) = (loop for loop in flow.loops if loop.number == flow.loop_of[number])
    ways = flow.nodes[number].successors
    return loop.header in ways and any(way not in loop.nodes for way in ways)
