"""Short sides of branches in loops of one lane: a few instructions and a store, as `if (x) *p = y`.

Whether a lane takes such a side is often as random as the data are. Then it costs less to execute
it in any case, and to store to where nothing reads if the lane would not take it.
"""

from __future__ import annotations

from ....isa.types import Segment
from ..flow.order import Loop
from ..values.ssa import Ssa
from .lane_plan import LONG_UNITS

MOST_INSTRUCTIONS = 8
"""Most instructions of a short side."""

MOST_STORES = 1
"""Most stores of one: each takes a test, a choice and a place in the queue of stores, even where
the branch would have been predicted."""


def short_side(ssa: Ssa, loop: Loop, number: int) -> int | None:
    """Return the node of a loop past which the branch of another one leads, if it is short.

    Both sides continue at the same node of the loop.
    """
    flow, node = ssa.flow, ssa.flow.nodes[number]
    if len(node.successors) != 2:
        return None
    for side, join in (node.successors, node.successors[::-1]):
        found, way = flow.nodes[side], flow.route(number, join)
        if (
            side in loop.nodes
            and way in loop.nodes
            and flow.route(number, side) == side
            and found.predecessors == (number,)
            and found.successors == (join,)
            and flow.route(side, join) == way
            and _is_short(ssa, side)
        ):
            return side
    return None


def _is_short(ssa: Ssa, number: int) -> bool:
    """Return whether a node has few cheap instructions, a store among them."""
    last, ops = ssa.flow.nodes[number].last, ssa.ops.get(number, ())
    stores = [op for op in ops if op.ins.row.segment is Segment.GLOBAL]
    return (
        (last is None or last.row.stem == "br")
        and len(ops) <= MOST_INSTRUCTIONS
        and 0 < len(stores) <= MOST_STORES
        and not any(op.ins.row.unit in LONG_UNITS for op in ops)
    )
