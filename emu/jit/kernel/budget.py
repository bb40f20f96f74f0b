"""The instruction budget of work-items, charged at latches and in nodes (analysis/flow/charges.py).

A loop whose number of iterations is a constant is charged once, when all lanes leave it together.

While all that a warp is charged is below half of one work-item's budget, no work-item can have
exceeded its own: one counter per warp is enough, and cheap. From then on each work-item has a
counter of its own, from zero, and one that exceeds the budget ends the launch. A work-item has
executed at most a third more than it is charged, besides code outside of loops, the iteration that
it is in, and longer paths in loops that are charged at their exits. So the launch may end late, by
the budget at most, and never too early.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...analysis.facts import Facts
from ...analysis.flow.order import Loop
from ...analysis.lanes.lane_plan import LanePlan
from ...analysis.ranges.offset_ranges import Ranges
from ...analysis.ranges.trips import Trips, only_exit
from ..llvm.text import integer
from ..runtime.context import Slot, TrapCode
from ..runtime.helpers import ATTRIBUTES
from .context_code import load_slot, store_slot
from .lane_code import LaneCode

UNIT = 2
"""What the warp's counter loses for an instruction.

The counter is odd, and 0 once it has run out. A charge that it does not cover is one subtraction
with one jump on its borrow: an iteration without more would pay for a comparison, too.
"""

OWN = "own counter"
"""The variable that has the address of a lane's counter, in code for one lane."""

OWED = "owed"
"""The variable that has what a lane is to be charged at the next latch, in code for one lane."""

MOST_AT_EXIT = 512
"""Most instructions of an inner loop that are charged where the loop around it is left."""

WORD_BITS = 64
"""Lanes whose counters are side by side, for the helper."""

MOST_CHARGED = 3
"""Places of a kernel with one loop that charge work-items without the helper."""

KEPT_WORDS = 3
"""Words that the helper keeps after them (runtime/helpers.ll)."""

_MASKS = "masks that are charged"
"""The variable that has the address of a mask's words, for the helper."""


def counter_bytes(lanes: LaneCode) -> int:
    """Return the bytes of the counters of a warp's work-items."""
    return 8 * counter_words(lanes.facts) if lanes.flow.loops else 0


def counter_words(facts: Facts) -> int:
    """Return the words of the counters of a warp's work-items, and of what the helper keeps."""
    words = -(-facts.width // WORD_BITS)
    return words * (WORD_BITS + KEPT_WORDS)


def is_by_helper(lanes: LaneCode, plan: LanePlan, copied: Collection[int]) -> bool:
    """Return whether a helper charges work-items that have spent half of their budget.

    It takes the place of code for each loop that grows with the warp, a fourth of what some kernels
    have. Code for one lane at a time shares the counters, and the helper does not expect that.
    Kernels with one loop, besides those that are `copied`, keep their own code, unless nodes of the
    loop are charged apart: a reduction took 0.9 of the time with the helper, but a histogram 1.05
    and a stencil 1.2.
    """
    is_in_words = lanes.width <= WORD_BITS or lanes.width % WORD_BITS == 0
    loops = len(lanes.flow.loops) - len(copied)
    is_much = loops > 1 or loops + len(lanes.charges.node) > MOST_CHARGED
    return is_in_words and not plan.sparse and is_much


def fill(lanes: LaneCode, counters: str) -> None:
    """Begin a warp; `counters` (a ptr) is where its work-items count, when they begin to."""
    if not lanes.flow.loops:
        return
    lanes.variables.store("counters", ["ptr"], [counters])
    renew(lanes)
    if lanes.facts.poison is not None:  # a debug build
        lanes.code.set_bytes(counters, counter_bytes(lanes), lanes.facts.poison & 0x7F)


def renew(lanes: LaneCode) -> None:
    """Charge the warp as one that begins."""
    # Half of a work-item's budget.
    lanes.variables.set_word("budget", lanes.code.let(f"or i64 {_of_one(lanes)}, 1"))


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


def exit_charges(
    lanes: LaneCode, ranges: Ranges, at_exit: Mapping[int, Trips]
) -> dict[int, tuple[int, int]]:
    """Return node -> (loop, instructions) where lanes leave loops that are charged there.

    `at_exit` has these loops by number. One that each iteration of another one runs is charged with
    that one. A charge in each iteration would be a branch, before which LLVM makes all loads.
    """
    flow = lanes.flow
    costs = {number: t.returns * lanes.charges.iteration[number] for number, t in at_exit.items()}
    found = {}
    for number in sorted(at_exit, key=lambda number: len(flow.loops[number].nodes)):
        trips, parent = at_exit[number], flow.loops[number].parent
        around = None if parent is None else at_exit.get(parent)
        if around is not None and parent is not None and around.returns:
            cost = costs[number] * (around.returns + ranges.is_before(trips.exit, around.exit))
            in_each = ranges.is_in_each_iteration(trips.exit, flow.loops[parent])
            if in_each and cost <= MOST_AT_EXIT:
                costs[parent] += cost
                continue
        if costs[number]:
            found[trips.exit] = (number, costs[number])
    return found


def spend(lanes: LaneCode, loop: Loop, times: int = 1) -> None:
    """Charge the running lanes for iterations of a loop."""
    spend_all(lanes, loop, times * lanes.charges.iteration[loop.number])


def spend_all(lanes: LaneCode, loop: Loop, cost: int) -> None:
    """Charge the running lanes for a number of instructions in a loop."""
    if cost:
        _spend(lanes, lanes.flow.nodes[loop.header].start, str(UNIT * cost))


def begin_owing(lanes: LaneCode) -> None:
    """Begin the turn of a lane that runs alone, which owes nothing."""
    lanes.variables.set_word(OWED, "0")


def owe(lanes: LaneCode, number: int) -> None:
    """Note that the lane that runs alone is to be charged for a node, if the node is charged.

    With a test in each node of a switch, LLVM would make no table of it.
    """
    cost = lanes.charges.node.get(number)
    if cost is not None:
        owed = lanes.code.let(f"add i64 {lanes.variables.word(OWED)}, {UNIT * cost}")
        lanes.variables.set_word(OWED, owed)


def pay(lanes: LaneCode, loop: Loop) -> None:
    """Charge the lane that runs alone for an iteration, and for what it owes."""
    owed = lanes.variables.word(OWED)
    cost = lanes.code.let(f"add i64 {owed}, {UNIT * lanes.charges.iteration[loop.number]}")
    _spend(lanes, lanes.flow.nodes[loop.header].start, cost)
    lanes.variables.set_word(OWED, "0")


def spend_most(lanes: LaneCode, loop: Loop) -> None:
    """Charge the lane that runs alone for all nodes of a loop, in code without cold sides.

    It may have executed less. Code with cold sides charges it exactly once that is not covered.
    """
    code, variables = lanes.code, lanes.variables
    cost = str(UNIT * lanes.charges.most[loop.number])
    left = code.let(f"sub i64 {variables.word('budget')}, {cost}")
    variables.set_word("budget", left)
    # Signed, for LLVM would keep the counter beside what is left of it. A counter of 64 bits seems
    # to have run out then, and is charged by the code with cold sides.
    is_left = code.let(f"icmp sge i64 {left}, 0")
    lanes.rely_on(is_left, lambda: variables.set_word("budget", _before(lanes, left, cost)))


def spend_in(lanes: LaneCode, number: int) -> None:
    """Charge the running lanes for a node that is charged where it runs, if it is one."""
    cost = lanes.charges.node.get(number)
    if cost is not None:
        _spend(lanes, lanes.flow.nodes[number].start, str(UNIT * cost))


def whole_charge(lanes: LaneCode, loop: Loop, iterations: str) -> tuple[str, str]:
    """Return what is left of the warp's counter after a loop, and whether it covers it (an i1).

    Each of the `iterations` (an i64) is charged with all nodes of the loop.
    """
    code, known = lanes.code, lanes.variables.word("budget")
    spent = code.let(f"mul i64 {iterations}, {UNIT * lanes.charges.most[loop.number]}")
    return code.let(f"sub i64 {known}, {spent}"), code.let(f"icmp uge i64 {known}, {spent}")


def _spend(lanes: LaneCode, pc: int, charge: str) -> None:
    """Charge the running lanes an i64, in units of the warp's counter."""
    code, variables = lanes.code, lanes.variables
    known = variables.word("budget")
    left = code.let(f"sub i64 {known}, {charge}")
    variables.set_word("budget", left)
    if lanes.otherwise:
        lanes.rely_on(
            code.let(f"icmp uge i64 {known}, {charge}"),
            lambda: variables.set_word("budget", _before(lanes, left, charge)),
        )
        return
    count, out, go = (code.fresh_label("b") for _ in range(3))
    code.branch(code.let(f"icmp ult i64 {known}, {charge}"), count, go, rarely=True)
    code.block(count)
    variables.set_word("budget", "0")
    cost = code.let(f"lshr i64 {charge}, {UNIT.bit_length() - 1}")
    before = _before(lanes, left, charge)
    if not lanes.charges_by_helper:
        is_first = code.let(f"icmp ne i64 {before}, 0")
        _charge_all(lanes, pc, is_first, cost, out, go)
        return
    result = _charged_by_helper(lanes, before, cost)
    code.branch(code.let(f"icmp ne i32 {result}, 0"), out, go, rarely=True)
    code.block(out)
    store_slot(code, Slot.TRAP_KIND, str(int(TrapCode.BUDGET)))
    lanes.leave(result, pc)
    code.block(go)


def _before(lanes: LaneCode, left: str, charge: str) -> str:
    """Return what the warp's counter was before a charge, from what is left of it.

    LLVM must not know that it was this, or it would keep it beside the new one.
    """
    code = lanes.code
    again = code.let(f"mul i64 {charge}, {code.hidden(1, rarely=True)}")
    return code.let(f"add i64 {left}, {again}")


def _charge_all(lanes: LaneCode, pc: int, is_first: str, cost: str, out: str, go: str) -> None:
    """Charge the counters of the running lanes, and continue at `go` in a new block.

    They begin with zeros if the charge `is_first` (an i1).
    """
    code, variables = lanes.code, lanes.variables
    begin, add = code.fresh_label("b"), code.fresh_label("b")
    t = integer(64, lanes.n)
    # The counters of all lanes begin with zeros when the warp's own counter has run out, also those
    # of lanes that do not run now. They are volatile to keep them out of registers, which loops
    # have better use for.
    (counters,) = variables.load("counters", ["ptr"])
    code.branch(is_first, begin, add)
    code.block(begin)
    code.zero(counters, 8 * lanes.width)
    code.jump(add)
    code.block(add)
    limit = lanes.chunk_of(64, _of_one(lanes))
    costs = f"splat (i64 {cost})" if cost.isdecimal() else lanes.chunk_of(64, cost)
    over = []
    own = variables.load(OWN, ["ptr"])[0] if variables.has(OWN) else counters
    for place, mask in zip(lanes.chunk_places(own, 64), lanes.mask, strict=True):
        charge = code.let(f"select {lanes.mask_type} {mask}, {t} {costs}, {t} zeroinitializer")
        known = code.let(f"load volatile {t}, ptr {place}, align 8")
        spent = code.let(f"add {t} {known}, {charge}")
        code.line(f"store volatile {t} {spent}, ptr {place}, align 8")
        over.append(code.let(f"icmp ugt {t} {spent}, {limit}"))
    code.branch(lanes.any(over), out, go, rarely=True)
    code.block(out)
    lanes.trap(TrapCode.BUDGET, pc, over)
    code.block(go)


def _charged_by_helper(lanes: LaneCode, before: str, cost: str) -> str:
    """Let a helper charge the running lanes; return the first one over its budget, plus one.

    `before` is what the warp's counter was before the charge, an i64. The result is an i32, 0 if
    there is none. LLVM knows that the helper changes nothing but the counters, so what a loop needs
    stays in registers.
    """
    code, entry, variables = lanes.code, lanes.entry, lanes.variables
    (counters,) = variables.load("counters", ["ptr"])
    numbers = [f"i64 {n}" for n in (before, cost, _of_one(lanes))]
    name, given, types = "simtlab_charge", [f"i64 {lanes.running()}"], "i64"
    if lanes.width > WORD_BITS:
        words = lanes.width // WORD_BITS
        if not variables.has(_MASKS):
            (place,) = variables.places(_MASKS, ["ptr"])
            cells = entry.let(f"alloca [{words} x i64], align 64")
            entry.line(f"store ptr {cells}, ptr {place}")
        (masks,) = variables.load(_MASKS, ["ptr"])
        lanes.store_mask(masks)
        name, given = "simtlab_charge_wide", [f"ptr {masks}", f"i64 {words}"]
        types = "ptr captures(none), i64"
    code.module.declare(
        name,
        f"declare i32 @{name}(ptr captures(none), {types}, i64, i64, i64) "
        f"cold memory(argmem: readwrite) {ATTRIBUTES}",
    )
    return code.call("i32", name, f"ptr {counters}", *given, *numbers)


def _of_one(lanes: LaneCode) -> str:
    """Return the budget of a work-item, an i64; computed once per call."""
    key, entry = "budget of a work-item", lanes.entry
    if not lanes.variables.has(key):
        (place,) = lanes.variables.places(key, ["i64"])
        entry.line(f"store i64 {load_slot(entry, Slot.BUDGET)}, ptr {place}")
    return lanes.variables.word(key)
