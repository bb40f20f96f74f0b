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
from ..runtime.context import Slot, TrapCode
from ..runtime.helpers import ATTRIBUTES
from .context_code import load_slot, store_slot
from .lane_code import LaneCode

OWN = "own counter"
"""The variable that has the address of a lane's counter, in code for one lane."""

_MASKS = "masks that are charged"
"""The variable that has the address of a mask's words, for the helper."""


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
    count, out, go = (code.fresh_label("b") for _ in range(3))
    code.branch(code.let(f"icmp slt i64 {left}, 0"), count, go, rarely=True)
    code.block(count)
    if variables.has(OWN):
        _count_own(lanes, pc, left, cost, go)
        return
    # In place of the helper's call, its code would be a fourth of a kernel with short loops.
    result = _charged(lanes, left, cost)
    code.branch(code.let(f"icmp ne i32 {result}, 0"), out, go, rarely=True)
    code.block(out)
    store_slot(code, Slot.TRAP_KIND, str(int(TrapCode.BUDGET)))
    store_slot(code, Slot.TRAP_PC, str(pc))
    lanes.report(code.let(f"zext i32 {code.let(f'sub i32 {result}, 1')} to i64"))
    code.jump("trapped")
    code.block(go)


def _charged(lanes: LaneCode, left: str, cost: int) -> str:
    """Let a helper charge the running lanes; return the first one over its budget, plus one.

    `left` is what is left of the warp's counter after the charge, an i64. The result is an i32, 0
    if there is none. LLVM knows that the helper changes nothing but the counters, so what a loop
    needs stays in registers.
    """
    code, entry, variables = lanes.code, lanes.entry, lanes.variables
    (counters,) = variables.load("counters", ["ptr"])
    numbers = [f"i64 {n}" for n in (left, cost, _of_one(lanes), lanes.width)]
    if lanes.word_type == "i64":
        name, mask = "simtlab_charge", f"i64 {lanes.running()}"
    else:
        if not variables.has(_MASKS):
            (place,) = variables.places(_MASKS, ["ptr"])
            cells = entry.let(f"alloca [{lanes.width // 64} x i64], align 64")
            entry.line(f"store ptr {cells}, ptr {place}")
        (masks,) = variables.load(_MASKS, ["ptr"])
        for place, chunk in zip(lanes.chunk_places(masks, lanes.n, 1), lanes.mask, strict=True):
            bits = code.let(f"bitcast {lanes.mask_type} {chunk} to i{lanes.n}")
            code.line(f"store i{lanes.n} {bits}, ptr {place}")
        name, mask = "simtlab_charge_wide", f"ptr {masks}"
    types = ", ".join(
        type_ if type_ == "i64" else f"{type_} captures(none)" for type_ in ("ptr", mask.split()[0])
    )
    attributes = f"cold memory(argmem: readwrite) {ATTRIBUTES}"
    code.module.declare(name, f"declare i32 @{name}({types}, i64, i64, i64, i64) {attributes}")
    return code.call("i32", name, f"ptr {counters}", mask, *numbers)


def _count_own(lanes: LaneCode, pc: int, left: str, cost: int, go: str) -> None:
    """Charge the counter of the only lane that runs, and continue at `go` in a new block."""
    code, variables = lanes.code, lanes.variables
    begin, add, out = (code.fresh_label("b") for _ in range(3))
    # All counters begin with zeros when the warp's own has run out, also those of other lanes.
    # They are volatile to keep them out of registers, which loops have better use for.
    (counters,) = variables.load("counters", ["ptr"])
    is_first = code.let(f"icmp sge i64 {code.let(f'add i64 {left}, {cost}')}, 0")
    code.branch(is_first, begin, add)
    code.block(begin)
    code.zero(counters, 8 * lanes.width)
    code.jump(add)
    code.block(add)
    (own,) = variables.load(OWN, ["ptr"])
    spent = code.let(f"add i64 {code.let(f'load volatile i64, ptr {own}')}, {cost}")
    code.line(f"store volatile i64 {spent}, ptr {own}")
    over = code.let(f"icmp ugt i64 {spent}, {_of_one(lanes)}")
    code.branch(over, out, go, rarely=True)
    code.block(out)
    lanes.trap(TrapCode.BUDGET, pc, lanes.mask)
    code.block(go)


def _of_one(lanes: LaneCode) -> str:
    """Return the budget of a work-item, an i64; computed once per call."""
    key, entry = "budget of a work-item", lanes.entry
    if not lanes.variables.has(key):
        (place,) = lanes.variables.places(key, ["i64"])
        whole = load_slot(entry, Slot.BUDGET)
        entry.line(f"store i64 {entry.let(f'udiv i64 {whole}, {lanes.width}')}, ptr {place}")
    return lanes.variables.word(key)
