"""Loops in which the lanes of a warp store to places of their own."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.lanes.own_stores import store_apart
from simtlab.emu.analysis.lanes.sparse import order_shows

from ...support.flows import shapes_of

BEGIN = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s9, [%n]
    {guard}
    cbr $c0, @out
    cvt_u64_u32 $d0, {number}
    ld_kernarg_u64 $d1, [%x]
    {more}
    mad_u64 $d1, $d0, {apart}, $d1
    cvt_u64_u32 $d2, $s9
    {row}
    mov_u32 $s1, 0
@top:
    {store}
    {step}
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, {trips}
    cbr $c0, @top
@out:
"""
BYTES = {"apart": "10", "trips": "10", "store": "st_global_u8 $s1, [$d1]"}
BYTES |= {"step": "add_u64 $d1, $d1, 1"}
ROWS = {"apart": "4", "trips": "64", "store": "st_global_u32 $s1, [$d1]"}
ROWS |= {"step": "add_u64 $d1, $d1, $d2"}

LOOPS = {
    "ten bytes of each lane": (BYTES, True),
    "eleven bytes": ({**BYTES, "trips": "11"}, False),
    "the bytes before": ({**BYTES, "step": "sub_u64 $d1, $d1, 1"}, True),
    "words of bytes apart": ({**BYTES, "store": "st_global_u16 $s1, [$d1]"}, False),
    "every other byte": ({**BYTES, "step": "add_u64 $d1, $d1, 2"}, False),
    "as many as an argument says": ({**BYTES, "trips": "$s9"}, False),
    "two bytes of two": (
        {**BYTES, "trips": "5", "step": "add_u64 $d1, $d1, 2"}
        | {"store": "st_global_u8 $s1, [$d1]\n st_global_u8 $s1, [$d1+1]"},
        True,
    ),
    "one place for all lanes": ({**BYTES, "apart": "0"}, False),
    "two ways to step": (
        {**BYTES, "step": "cmp_eq_u32 $c1, $s1, $s9\n cbr $c1, @on\n add_u64 $d1, $d1, 1\n@on:"},
        False,
    ),
    "what is loaded there": (
        {**BYTES, "store": "ld_global_u8 $s2, [$d1]\n st_global_u8 $s2, [$d1]"},
        False,
    ),
    "a place that is not in order": (
        {**BYTES, "store": "and_u64 $d3, $d1, 7\n st_global_u8 $s2, [$d3]"},
        False,
    ),
    "a column": (ROWS, True),
    "a column of n rows": ({**ROWS, "trips": "$s9"}, False),
    "a column beyond the row": ({**ROWS, "guard": "cmp_gt_u32 $c0, $s0, $s9"}, False),
    "a column below zero": ({**ROWS, "guard": "cmp_ge_s32 $c0, $s0, $s9"}, False),
    "rows of another size": ({**ROWS, "row": "shl_u64 $d2, $d2, 1"}, False),
    "rows of elements": ({**ROWS, "row": "mul_u64 $d2, $d2, 4"}, True),
    "elements in each other": ({**ROWS, "store": "st_global_u64 $d0, [$d1]"}, False),
    "a number of all lanes and a pointer of each": (
        {**ROWS, "number": "$s8", "guard": "workgroupid_u32 $s8, 0\n cmp_ge_u32 $c0, $s8, $s9"}
        | {"more": "cvt_u64_u32 $d4, $s0\n mad_u64 $d1, $d4, 4, $d1"},
        False,
    ),
    "rows of each lane": (
        {**ROWS, "guard": "add_u32 $s9, $s9, $s0\n cmp_ge_u32 $c0, $s0, $s9"},
        False,
    ),
    "numbers that other lanes have": ({**ROWS, "apart": "0"}, False),
}


@pytest.mark.parametrize("name", LOOPS)
def test_lanes_store_to_places_of_their_own_where_that_is_known(name: str) -> None:
    parts, own = LOOPS[name]
    usual = {"guard": "cmp_ge_u32 $c0, $s0, $s9", "row": "shl_u64 $d2, $d2, 2"}
    usual |= {"number": "$s0", "more": ""}
    shapes = shapes_of(BEGIN.format(**usual | parts))
    (loop,) = shapes.flow.loops
    stores = [op for n in loop.nodes for op in shapes.ssa.ops.get(n, ()) if op.ins.row.is_store]
    if name != "what is loaded there":
        assert store_apart(shapes, loop, stores) == own
    assert order_shows(shapes, loop) != own
