"""The functions of a kernel whose lanes get work-items while others are in a loop.

`refilled` runs the work-items of some workgroups (analysis/refilled.py). The function around
it runs a part of each slice of a call in step, as other code does, and counts iterations and the
lanes in them. Where most lanes run anyway, the usual code runs the slice. Debug builds always give
work-items to lanes.
"""

from __future__ import annotations

from math import prod

from ....isa.program import Kernel
from ...analysis.flow.order import START
from ...analysis.ranges.offset_ranges import Ranges
from ...analysis.refilled import Refilled
from ...analysis.values.ssa import Op
from ..llvm.function_text import FunctionText, definition
from ..llvm.text import ModuleText
from ..runtime.context import Slot, TrapCode
from . import budget
from .context_code import load_slot, store_slot
from .control.edges import Edges
from .lane_code import LaneCode
from .loops.refilled import RefilledLanes
from .memory.kernel_memory import KernelMemory
from .nodes import Nodes
from .value_table import ValueTable
from .variables import Variables
from .workgroups.identity import Identity, Warp, Workgroup
from .workgroups.turns import TRAP, are_apart

WAITING = (4, 2)
"""Parts of a warp's lanes that wait until they get work-items together: few if the loop is long."""

SLICES = 16
"""Slices of a launch, for each of which the way is chosen anew."""

LEAST_ITEMS = 1 << 14
"""Work-items of a slice, at least."""

IN_STEP = 64
"""How many times as many work-items a slice has as the part of it that runs in step first.

Usual code may be faster than code whose lanes have any work-items.
"""

GIVING = 160
"""What it costs to give work-items to lanes, besides the kernel's own instructions: positions, and
the branch out of the loop, which is mispredicted."""

MOST_ITEMS = 1 << 30
"""Work-items of a call whose numbers have 32 bits."""

SIGNATURE = "ptr %ctx, i64 %first, i64 %last, i64 %keep, ptr %measured"

FUNCTION = "refilled"
IN_ORDER = "in_order"
"""The name of the kernel's usual code."""


class _RefilledIdentity(Identity):
    """Identity instructions of lanes that have any work-items."""

    def __init__(self, lanes: LaneCode, warp: Warp, refilled: RefilledLanes) -> None:
        super().__init__(lanes, warp)
        self._refilled = refilled

    def op(self, op: Op) -> None:
        """Define the value of an identity instruction."""
        if op.ins.row.stem == "workitemabsid":
            self.lanes.define(op, "value", self._refilled.places(op.ins.literals[0]))
        else:
            super().op(op)


def define(module: ModuleText, kernel: Kernel, readonly_bytes: int, found: Refilled) -> None:
    """Define the function that gives work-items to lanes, and the kernel's function around it.

    The usual code of the kernel is the function `IN_ORDER`.
    """
    module.define(FUNCTION, _function(module, kernel, readonly_bytes, found))
    module.define("kernel", _chooser(module, found))


def _function(module: ModuleText, kernel: Kernel, readonly_bytes: int, found: Refilled) -> str:
    """Return the function: 1 after a trap, else 0 and what it has counted at `%measured`."""
    shapes, plan = found.shapes, found.plan
    refill = shapes.flow.refill
    assert refill is not None
    entry = FunctionText(module)
    code = entry.elsewhere()
    variables = Variables(entry, code)
    lanes = LaneCode(
        variables,
        ValueTable(shapes.ssa),
        shapes,
        shapes.facts,
        shapes.facts.width,
        lambda lane: None,
    )
    memory = KernelMemory(
        kernel.params, 0, 0, readonly_bytes, Ranges(shapes), private_of="0", private_element=1
    )
    edges = Edges(lanes, plan)
    refilled = RefilledLanes(lanes, edges, refill)
    counters = entry.let(f"alloca [{budget.counter_words(shapes.facts)} x i64], align 64")
    code.block("begin")
    all_lanes = ["splat (i1 true)"] * lanes.k
    none, zero = [], ("0", "0", "0")
    group = Workgroup(zero, zero, "0")
    warp = Warp(group, "0", "0", [], [], zero, (none, none, none), (none, none, none), all_lanes)
    budget.fill(lanes, counters)
    edges.clear_all()
    identity = _RefilledIdentity(lanes, warp, refilled)
    nodes = Nodes(edges, memory, warp, None, identity=identity)
    refilled.begin()
    edges.enter(START, all_lanes)
    nodes.emit()
    code.block("warp_over")
    refilled.end()
    code.ret("i32", 0)
    code.block("trapped")
    refilled.end_trapped()
    code.ret("i32", 1)
    variables.poison(entry, shapes.facts.poison)
    entry.jump("begin")
    variables.check()
    return definition(f"define internal i32 @{FUNCTION}({SIGNATURE}) noinline", entry, code)


def _chooser(module: ModuleText, found: Refilled) -> str:
    """Return the kernel's function, which chooses the way for each slice of a call."""
    code = FunctionText(module)
    facts = found.shapes.facts
    size = prod(facts.group_size)
    measured = code.let("alloca [2 x i64], align 64")
    number = code.let("sub i64 %last, %first")
    items = code.let(f"mul i64 {number}, {size}")
    always = facts.poison is not None  # a debug build
    enough = code.let(f"icmp ugt i64 {items}, {0 if always else LEAST_ITEMS // 4}")
    few = code.let(f"icmp ult i64 {number}, {MOST_ITEMS // size}")
    code.branch(code.all_of(enough, few, are_apart(code, facts, found.apart)), "apart", "usual")
    code.block("usual")
    code.ret("i32", code.let(f"call i32 @{IN_ORDER}(ptr %ctx, i64 %first, i64 %last)"))
    code.block("apart")
    part = code.let(f"udiv i64 {number}, {SLICES}")
    least = -(-LEAST_ITEMS // size)
    part = code.intrinsic("llvm.umax", "i64", f"i64 {part}", f"i64 {least}")
    code.jump("slice")
    code.block("slice")
    code.phi("i64", ("%first", "apart"), ("%end", "over"), name="%start")

    def upto(count: str) -> str:
        end = code.let(f"add i64 %start, {count}")
        return code.intrinsic("llvm.umin", "i64", f"i64 {end}", "i64 %last")

    code.let(f"add i64 {upto(part)}, 0", "%end")
    first = code.let(f"udiv i64 {part}, {IN_STEP}")
    first = code.intrinsic("llvm.umax", "i64", f"i64 {first}", "i64 1")
    middle = upto("0" if always else first)

    def run(first: str, last: str, keep: str, then: str) -> None:
        done = code.let(
            f"call i32 @{FUNCTION}(ptr %ctx, i64 {first}, i64 {last}, i64 {keep}, ptr {measured})"
        )
        code.branch(code.let(f"icmp eq i32 {done}, 0"), then, "trapped")

    run("%start", middle, "0", "chosen")
    code.block("chosen")
    width = facts.width
    waiting = str(width // WAITING[0]) if always else _waiting(code, found, measured, middle)
    code.branch(code.let(f"icmp ne i64 {waiting}, 0"), "giving", "ordered")
    code.block("giving")
    run(middle, "%end", code.let(f"sub i64 {width}, {waiting}"), "over")
    code.block("ordered")
    done = code.let(f"call i32 @{IN_ORDER}(ptr %ctx, i64 {middle}, i64 %end)")
    code.branch(code.let(f"icmp eq i32 {done}, 0"), "over", "reported")
    code.block("reported")
    code.ret("i32", 1)
    code.block("over")
    code.branch(code.let("icmp ult i64 %end, %last"), "slice", "finished")
    code.block("finished")
    code.ret("i32", 0)
    code.block("trapped")
    _report_lowest(code)
    return definition("define i32 @kernel(ptr %ctx, i64 %first, i64 %last)", code)


def _report_lowest(code: FunctionText) -> None:
    """End the call after a trap, of which others may be lower, in the slice from `%start` on.

    Nothing that was stored is loaded, so the slice may run again, in order.
    """
    found_trap = [load_slot(code, Slot(slot)) for slot in TRAP]
    again = code.let(f"call i32 @{IN_ORDER}(ptr %ctx, i64 %start, i64 %last)")
    spent = code.let(f"icmp eq i64 {found_trap[0]}, {int(TrapCode.BUDGET)}")
    known = code.let(f"icmp ne i32 {again}, 0")
    code.branch(code.let(f"or i1 {spent}, {known}"), "decided", "restored")
    code.block("decided")
    code.ret("i32", again)
    code.block("restored")
    for slot, value in zip(TRAP, found_trap, strict=True):
        store_slot(code, Slot(slot), value)
    code.ret("i32", 1)


def _waiting(code: FunctionText, found: Refilled, measured: str, middle: str) -> str:
    """Return for how many waiting lanes the loop is best left, an i64; 0: run in step.

    What ran in step shows how long it takes. The other way must gain a tenth.
    """
    iterations = code.let(f"load i64, ptr {measured}")
    lanes = code.let(f"load i64, ptr {code.let(f'getelementptr i64, ptr {measured}, i64 1')}")
    groups = code.let(f"sub i64 {middle}, %start")
    best, least = "0", code.let(f"mul i64 {iterations}, {9 * found.iteration}")
    loop = code.let(f"mul i64 {lanes}, {10 * found.iteration}")
    facts = found.shapes.facts
    size = prod(facts.group_size)
    for waiting in (facts.width // part for part in WAITING):
        loops = code.let(f"udiv i64 {loop}, {facts.width - waiting // 2}")
        turns = size * 10 * (found.around + GIVING) // waiting
        total = code.let(f"add i64 {loops}, {code.let(f'mul i64 {groups}, {turns}')}")
        less = code.let(f"icmp ult i64 {total}, {least}")
        least = code.let(f"select i1 {less}, i64 {total}, i64 {least}")
        best = code.let(f"select i1 {less}, i64 {waiting}, i64 {best}")
    return best
