"""Nodes that data decide, and that may run without lanes rather than after a test.

In each step of a search for the largest number data decide which lanes store, and whether any does.
Where a tree is in registers such a store blends vectors; a test would be mispredicted half the time.
"""

from __future__ import annotations

from collections.abc import Collection

from ....analysis.lanes.lane_plan import may_run_empty, runs_quickly
from ....analysis.values.ssa import Op
from .edges import Edges


def needs_no_test(edges: Edges, number: int, unread: Collection[Op]) -> bool:
    """Return whether a node that the plan tests may run without lanes, as it is written.

    Its accesses are `unread` stores, which stay in registers. What runs next, and what is known of
    the lanes there, must not depend on the test.
    """
    lanes, flow, masks = edges.lanes, edges.lanes.flow, edges.plan.masks
    node, ops = flow.nodes[number], lanes.ssa.ops.get(number, ())
    if edges.counters is not None or node.latch_of is not None or len(node.successors) != 1:
        return False
    way = flow.route(number, node.successors[0])
    return (
        number not in lanes.charges.node
        and not any(loop.header == number for loop in flow.loops)
        and edges.next_after(number, way) == edges.next_after(number)
        and all(same != number or n == number for n, same in masks.same.items())
        and any(op in unread for op in ops)
        and all(op in unread or may_run_empty(op) for op in ops)
        and runs_quickly(ops)
    )
