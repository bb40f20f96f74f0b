"""Calls that take their workgroups upwards and downwards in turns.

A launch that streams through more than a cache finds nothing of the launch before if both begin at
the same end: what it loads first has been replaced. If it begins where the last one has ended, it
finds as much as the cache holds. Every other call so runs its slices of workgroups from the last
one on. Within a slice workgroups run upwards, as prefetchers expect.

No order may show, or two equal launches could give different results. So the arrays must be apart,
and so must what rows of the grid store to.
"""

from __future__ import annotations

from math import prod

from ....analysis.facts import Facts
from ....analysis.workgroup_steps import Apart, Rows, Separate, Terms
from ...llvm.function_text import FunctionText, definition
from ...runtime.context import GROUPS, Slot
from ..context_code import load_slot, store_slot
from .group_order import sum_of

SLICES = 8
"""Slices of a call, if they are large enough."""

LEAST_ITEMS = 1 << 14
"""Work-items of a slice: shorter calls stay in a cache, and each slice begins with some tests."""

TRAP = range(Slot.TRAP_KIND, Slot.TRAP_ADDRESS + 1)
"""What describes a trap."""


def in_turns(entry: FunctionText, facts: Facts, apart: Apart, head: str) -> str:
    """Return the function of a kernel, which calls `groups` for slices of a range.

    Where what must lie apart may overlap, all calls run upwards.
    When a workgroup of a later slice traps, those before it run as well: the lowest trap of all is
    reported.
    """
    code = entry.elsewhere()
    code.module.declare("downwards", "@downwards = internal global i32 0")
    least = -(-LEAST_ITEMS // prod(facts.group_size))
    number = code.let("sub i64 %last, %first")
    size = code.let(f"udiv i64 {number}, {SLICES}")
    size = code.intrinsic("llvm.umax", "i64", f"i64 {size}", f"i64 {least}")
    code.branch(code.let(f"icmp ult i64 {size}, {number}"), "long", "upwards")
    code.block("long")
    code.branch(are_apart(code, facts, apart), "apart", "upwards")
    code.block("apart")
    # Threads may see the same: the order of a call does not show.
    down = code.let("load atomic i32, ptr @downwards monotonic, align 4")
    other = code.let(f"xor i32 {down}, 1")
    code.line(f"store atomic i32 {other}, ptr @downwards monotonic, align 4")
    code.branch(code.let(f"icmp eq i32 {down}, 0"), "upwards", "slice")
    code.block("upwards")
    code.ret("i32", code.let("call i32 @groups(ptr %ctx, i64 %first, i64 %last)"))
    code.block("slice")
    code.phi("i64", ("%last", "apart"), ("%start", "below"), name="%end")
    left = code.let("sub i64 %end, %first")
    step = code.intrinsic("llvm.umin", "i64", f"i64 {size}", f"i64 {left}")
    code.let(f"sub i64 %end, {step}", "%start")
    trapped = code.let("call i32 @groups(ptr %ctx, i64 %start, i64 %end)")
    code.branch(code.let(f"icmp eq i32 {trapped}, 0"), "below", "trapped")
    code.block("below")
    code.branch(code.let("icmp eq i64 %start, %first"), "done", "slice")
    code.block("done")
    code.ret("i32", "0")
    code.block("trapped")
    found = [load_slot(code, Slot(slot)) for slot in TRAP]
    lower = code.let("call i32 @groups(ptr %ctx, i64 %first, i64 %start)")
    code.branch(code.let(f"icmp eq i32 {lower}, 0"), "restored", "reported")
    code.block("restored")
    for slot, value in zip(TRAP, found, strict=True):
        store_slot(code, Slot(slot), value)
    code.jump("reported")
    code.block("reported")
    code.ret("i32", "1")
    return definition(head, code)


def are_apart(code: FunctionText, facts: Facts, apart: Apart) -> str:
    """Return whether what must lie apart does, an i1."""
    tests = [_is_apart(code, facts, array) for array in apart.arrays]
    tests += [test for rows in apart.rows for test in _rows_are_apart(code, facts, rows)]
    return code.all_of(*tests)


def _is_apart(code: FunctionText, facts: Facts, array: Separate) -> str:
    """Return whether an array begins as far from another one as what all work-items store to."""
    items = str(prod(facts.group_size))
    for slot in GROUPS:
        items = code.let(f"mul i64 {items}, {load_slot(code, slot)}")
    block = code.let(f"inttoptr i64 {load_slot(code, Slot.KERNARG)} to ptr")
    first, second = (
        code.let(f"load i64, ptr {code.let(f'getelementptr i8, ptr {block}, i64 {place}')}")
        for place in (array.stored, array.other)
    )
    between = code.let(f"sub i64 {first}, {second}")
    distance = code.intrinsic("llvm.abs", "i64", f"i64 {between}", "i1 false")
    size = code.let(f"mul i64 {items}, {array.step}")
    return code.let(f"icmp uge i64 {distance}, {size}")


def _rows_are_apart(code: FunctionText, facts: Facts, rows: Rows) -> list[str]:
    """Return tests, i1, that each row of the grid stores beyond the one before, and each plane.

    A grid of one row, or of one plane, passes.
    """
    _, height, depth = facts.group_size
    items, lines = (load_slot(code, slot) for slot in (Slot.ITEMS_X, Slot.ITEMS_Y))
    row = code.let(f"mul i64 {items}, {rows.step}")

    def way(terms: Terms) -> str:
        return code.intrinsic("llvm.abs", "i64", f"i64 {sum_of(code, terms)}", "i1 false")

    def at_least(a: str, b: str, times: int) -> str:
        return code.let(f"icmp uge i64 {a}, {code.let(f'mul i64 {b}, {times}')}")

    down = way(rows.down)
    one_row, one_plane = (
        code.let(f"icmp ule i64 {load_slot(code, slot)}, 1")
        for slot in (Slot.GROUPS_Y, Slot.GROUPS_Z)
    )
    tests = [code.let(f"or i1 {one_row}, {at_least(down, row, height)}")]
    if rows.deep is None:
        return [*tests, one_plane]
    deep = way(rows.deep)
    plane = code.let(f"mul i64 {down}, {lines}")
    beyond = at_least(code.let(f"mul i64 {deep}, {height}"), plane, depth)
    beyond = code.all_of(beyond, at_least(deep, row, depth))
    return [*tests, code.let(f"or i1 {one_plane}, {beyond}")]
