"""The instruction budget of work-items, charged at latches and in nodes (analysis/charges.py).

A loop whose number of iterations is a constant is charged once, when all lanes leave it together.

While all that a warp is charged is below half of one work-item's budget, no work-item can have
exceeded its own: one counter per warp is enough, and cheap. From then on each work-item has a
counter of its own, from zero, and one that exceeds the budget ends the launch. A work-item has
executed at most a third more than it is charged, besides code outside of loops, the iteration that
it is in, and longer paths in loops that are charged at their exits. So the launch may end late, by
the budget at most, and never too early.
"""

from __future__ import annotations

from ...analysis.lanes.lane_plan import LanePlan
from ...analysis.order import Loop
from ...analysis.ranges.offset_ranges import Ranges
from ...analysis.ranges.trips import Trips, only_exit
from ..llvm.text import integer
from ..runtime.context import Slot, TrapCode
from .context_code import load_slot
from .lane_code import LaneCode

OWN = "own counter"
"""The variable that has the address of a lane's counter, in code for one lane."""


def counter_bytes(lanes: LaneCode) -> int:
    """Return the bytes of the counters of a warp's work-items."""
    return 8 * lanes.facts.width if lanes.flow.loops else 0


def fill(lanes: LaneCode, counters: str) -> None:
    """Begin a warp; `counters` (a ptr) is where its work-items count, when they begin to."""
    if not lanes.flow.loops:
        return
    lanes.variables.store("counters", ["ptr"], [counters])
    half = lanes.code.let(f"lshr i64 {_of_one(lanes)}, 1")
    lanes.variables.set_word("budget", half)
    if lanes.facts.poison is not None:  # a debug build
        lanes.code.set_bytes(counters, 8 * lanes.width, lanes.facts.poison & 0x7F)


def charged_at_exit(lanes: LaneCode, plan: LanePlan, ranges: Ranges) -> dict[int, Trips]:
    """Return latch -> iterations of the loops that are charged at their exits."""
    flow, found = lanes.flow, {}
    for loop in flow.loops:
        trips = ranges.trips.get(loop.number)
        if (
            trips is not None
            and trips.exit in plan.uniform_branches
            and loop.number not in ranges.shapes.divergent_loops
            and only_exit(flow, loop)
            and not any(
                number in plan.sparse
                or (last is not None and last.row.is_barrier and not lanes.facts.one_warp)
                for number in loop.nodes
                for last in (flow.nodes[number].last,)
            )
        ):
            found[loop.latch] = trips
    return found


def spend(lanes: LaneCode, loop: Loop, times: int = 1) -> None:
    """Charge the running lanes for iterations of a loop."""
    cost = times * lanes.charges.iteration[loop.number]
    if cost:
        _spend(lanes, lanes.flow.nodes[loop.header].start, cost)


def spend_in(lanes: LaneCode, number: int) -> None:
    """Charge the running lanes for a node that is charged where it runs, if it is one."""
    cost = lanes.charges.node.get(number)
    if cost is not None:
        _spend(lanes, lanes.flow.nodes[number].start, cost)


def _spend(lanes: LaneCode, pc: int, cost: int) -> None:
    code, variables = lanes.code, lanes.variables
    left = code.let(f"sub i64 {variables.word('budget')}, {cost}")
    variables.set_word("budget", left)
    count, begin, add, out, go = (code.fresh_label("b") for _ in range(5))
    code.branch(code.let(f"icmp slt i64 {left}, 0"), count, go, rarely=True)
    code.block(count)
    t = integer(64, lanes.n)
    # The counters of all lanes begin with zeros when the warp's own counter has run out, also those
    # of lanes that do not run now. They are volatile to keep them out of registers, which loops
    # have better use for.
    (counters,) = variables.load("counters", ["ptr"])
    is_first = code.let(f"icmp sge i64 {code.let(f'add i64 {left}, {cost}')}, 0")
    code.branch(is_first, begin, add)
    code.block(begin)
    code.zero(counters, 8 * lanes.width)
    code.jump(add)
    code.block(add)
    limit = lanes.chunk_of(64, _of_one(lanes))
    over = []
    own = variables.load(OWN, ["ptr"])[0] if variables.has(OWN) else counters
    for place, mask in zip(lanes.chunk_places(own, 64), lanes.mask, strict=True):
        charge = code.let(
            f"select {lanes.mask_type} {mask}, {t} splat (i64 {cost}), {t} zeroinitializer"
        )
        known = code.let(f"load volatile {t}, ptr {place}, align 8")
        spent = code.let(f"add {t} {known}, {charge}")
        code.line(f"store volatile {t} {spent}, ptr {place}, align 8")
        over.append(code.let(f"icmp ugt {t} {spent}, {limit}"))
    code.branch(lanes.any(over), out, go, rarely=True)
    code.block(out)
    lanes.trap(TrapCode.BUDGET, pc, over)
    code.block(go)


def _of_one(lanes: LaneCode) -> str:
    """Return the budget of a work-item, an i64; computed once per call."""
    key, entry = "budget of a work-item", lanes.entry
    if not lanes.variables.has(key):
        (place,) = lanes.variables.places(key, ["i64"])
        whole = load_slot(entry, Slot.BUDGET)
        entry.line(f"store i64 {entry.let(f'udiv i64 {whole}, {lanes.width}')}, ptr {place}")
    return lanes.variables.word(key)
