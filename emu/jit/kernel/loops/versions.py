"""Which loops are written several times: a version without tests, iterations without a branch."""

from __future__ import annotations

from collections.abc import Collection

from ....analysis.flow.order import Flow, Loop
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.ranges.trips import Trips
from ....analysis.values.ssa import Op
from ....analysis.widths.one_warp import may_unroll
from ..lane_code import LaneCode
from ..memory.access import Access
from .whole import is_near

UNROLLED = 128
"""Most instructions of the iterations of a loop that are written one after the other."""

SIDES = 8
"""Instructions that an access counts as there which has code for both sides of a test."""

LARGEST_VERSION = 64
"""Most instructions of a loop that is written twice."""

LARGEST_OF_COPIES = 400
"""The same for a loop with copies of loops in it: each of many accesses would have its test."""


def may_have_version(
    lanes: LaneCode, plan: LanePlan, loop: Loop, divergent: Collection[int], access: Access
) -> bool:
    """Return whether a loop may have a version without tests.

    Lanes leave `divergent` loops in different iterations.
    """
    flow = lanes.flow
    ops = sum(len(lanes.ssa.ops.get(number, ())) for number in loop.nodes)
    copies = (flow.nodes[number].copied or () for number in loop.nodes)
    has_copies = any(len(copied) > LARGEST_VERSION for copied in copies)
    sparse = loop.nodes & plan.sparse.keys()
    # As many lanes run in all iterations of a loop that they leave together, or in whole ones.
    accesses = [op for n in loop.nodes for op in lanes.ssa.ops.get(n, ()) if op.ins.row.is_memory]
    together = loop.number not in divergent or all(is_near(lanes, access, op) for op in accesses)
    may_be_sparse = plan.has_both and together
    return (
        ops <= (LARGEST_OF_COPIES if has_copies else LARGEST_VERSION)
        and all(n in plan.waits for n in loop.nodes)
        and (not sparse or (may_be_sparse and sparse == {loop.header}))
        and _is_simple(flow, loop)
    )


def _is_simple(flow: Flow, loop: Loop) -> bool:
    """Return whether a loop has no loop inside, one entry, and no barrier."""
    lasts = [flow.nodes[number].last for number in loop.nodes]
    return (
        flow.is_innermost(loop)
        and flow.has_own_header(loop)
        and flow.has_one_entry(loop)
        and not any(last is not None and last.row.is_barrier for last in lasts)
    )


def times_written(
    lanes: LaneCode,
    loop: Loop,
    trips: Trips,
    access: Access,
    certain: Collection[Op],
    *,
    agree: bool,
) -> int:
    """Return how many iterations of a loop shall follow each other without a branch.

    Accesses that are `certain` have no test. `agree`: whether no branch in the loop diverges.
    """
    if not lanes.flow.is_innermost(loop):
        return 0
    ops = [op for n in loop.nodes for op in lanes.ssa.ops.get(n, ())]
    if any(access.global_.shares_row(op) for op in ops):
        return 0  # the rows have no registers beside those of another iteration
    length = sum(SIDES if op not in certain and access.has_sides(op) else 1 for op in ops)
    total = trips.returns + 1
    if lanes.facts.one_warp and agree:
        # There is nothing to know about which lanes run.
        total = min(total, 4)
    for times in (total, 4):
        if times * length <= UNROLLED and may_unroll(times * length, lanes.facts):
            return times
    return 0
