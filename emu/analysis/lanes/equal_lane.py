"""Nodes that one lane of a warp runs: the one whose number is a scalar, as in `if (item == k)`."""

from __future__ import annotations

from typing import NamedTuple

from ..values.ssa import Const, Op, Value
from ..warps.uniformity import LaneShapes

_STEMS = "cmp_ne", "cmp_eq"
"""Comparisons that send one lane to the first and to the second successor of a branch."""


class EqualLane(NamedTuple):
    """The lane that runs a node, if any: where two integers are equal."""

    source: int
    """The only node that leads there, by its branch."""
    number: Value
    """The integer that grows by one from lane to lane."""
    scalar: Value
    """The one that all lanes have."""
    bits: int


def equal_lane(shapes: LaneShapes, number: int) -> EqualLane | None:
    """Return which lane runs a node; None if others may, or if it is a constant or not known."""
    ssa, sources = shapes.ssa, shapes.ssa.flow.nodes[number].predecessors
    if len(sources) != 1:
        return None
    ways, condition = ssa.flow.nodes[sources[0]].successors, ssa.conditions.get(sources[0])
    if not isinstance(condition, Op) or len(ways) != len(_STEMS):
        return None
    row = condition.ins.row
    type_ = row.srcs[0].type if row.srcs else None
    if row.stem != _STEMS[ways.index(number)] or type_ is None or type_.is_float:
        return None
    for value, other in (condition.args, condition.args[::-1]):
        # Of a constant LLVM mostly knows the lane, with the masks of vectors.
        if shapes.stride(value) == 1 and shapes.is_uniform(other) and not isinstance(other, Const):
            return EqualLane(sources[0], value, other, type_.bits)
    return None
