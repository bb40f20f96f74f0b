"""Which loops are written several times: a version without tests, iterations without a branch."""

from __future__ import annotations

from collections.abc import Collection

from ....analysis.flow.order import Flow, Loop
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.ranges.stepping import is_invariant
from ....analysis.ranges.trips import Trips
from ....analysis.values.ssa import Op, Value
from ....analysis.widths.one_warp import may_unroll
from ..lane_code import LaneCode
from ..memory.access import Access
from .whole import is_near

UNROLLED = 128
"""Most instructions of the iterations of a loop that are written one after the other."""

UNROLLED_OF_BITS = 320
"""The same for loops over the bits of words, which are constants in iterations written so."""

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
    most = UNROLLED
    if not any(op.ins.row.is_memory for op in ops) and _goes_through_bits(lanes, loop, ops, trips):
        most = UNROLLED_OF_BITS
    for times, limit in ((total, most), (4, UNROLLED)):
        if times * length <= limit and may_unroll(times * length, lanes.facts):
            return times
    return 0


def moves_vectors(lanes: LaneCode, plan: LanePlan, loop: Loop) -> bool:
    """Return whether a loop moves vectors, as planes of a grid, and shall do so half as often.

    Each iteration moves what was the next plane to the present one, and that to the last one. Of
    two iterations that follow each other, the second one finds them where the first one had them.
    All lanes leave such a loop together.
    """
    flow, ssa = lanes.flow, lanes.ssa
    ops = sum(len(ssa.ops.get(n, ())) for n in loop.nodes)
    if not flow.is_innermost(loop) or 2 * ops > UNROLLED or not may_unroll(2 * ops, lanes.facts):
        return False
    exits = {
        n
        for n in loop.nodes
        if any(flow.route(n, s) not in loop.nodes for s in flow.nodes[n].successors)
    }
    phis = {p for p in ssa.phis.get(loop.header, ()) if not lanes.shapes.is_uniform(p)}
    return exits & ssa.conditions.keys() <= plan.uniform_branches and any(
        a is not phi and a in phis for phi in phis for a in phi.args.values()
    )


def _goes_through_bits(lanes: LaneCode, loop: Loop, ops: Collection[Op], trips: Trips) -> bool:
    """Return whether a loop multiplies by a power of two that it shifts: a bit of words.

    Where that is a constant, a product is a shift, and a test of the bit is its own number. Words
    that the loop does not change would be tested for all iterations ahead, and such results have no
    registers.
    """
    bits: set[Value] = {
        phi
        for phi, values in trips.values.items()
        if len(set(values)) > LEAST_BITS and all(value.bit_count() <= 1 for value in values)
    }
    with_bit = [op for op in ops if not bits.isdisjoint(op.args)]
    words = {value for op in with_bit for value in op.args if not lanes.shapes.is_uniform(value)}
    multiplies = any(op.ins.row.stem in ("mul", "mad") for op in with_bit)
    return multiplies and not any(is_invariant(word, loop) for word in words)


LEAST_BITS = 3
"""A counter 0, 1, 2 has as many values that are no bits or one."""
