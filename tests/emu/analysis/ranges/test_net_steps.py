"""What loops of constant length add to an offset, loops inside them included."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.ranges.offset_ranges import Ranges

from ...support.flows import op_of, shapes_of

TILE = Facts(64, (16, 16, 1), True)
NEST = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    workitemid_u32 $s0, 0
    workitemid_u32 $s7, 1
    shl_u32 $s1, $s0, 2
    mov_u32 $s2, 0
@row:
    mov_u32 $s3, 0
@column:
    READ
    add_u32 $s1, $s1, 4
    add_u32 $s3, $s3, 1
    cmp_lt_u32 $c0, $s3, INNER
    cbr $c0, @column
    AFTER
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, OUTER
    cbr $c0, @row
"""
READ = "st_global_u32 $s1, [$d0]"
NOTHING = (0, 0xFFFFFFFF)


@pytest.mark.parametrize(
    ("inner", "outer", "after", "expected"),
    [
        # 60 for the lanes, four rows of 20 + 60, and four columns
        ("5", "5", "add_u32 $s1, $s1, 60", (0, 60 + 4 * 80 + 16)),
        ("5", "5", "sub_u32 $s1, $s1, 20", (0, 60 + 16)),
        ("1", "3", "add_u32 $s1, $s1, 4", (0, 60 + 2 * 8)),
        ("5", "5", "sub_u32 $s1, $s1, 24", NOTHING),  # below zero in the second row
        ("5", "5", "add_u32 $s1, $s1, $s9", NOTHING),
        ("5", "5", "mul_u32 $s1, $s1, 3", NOTHING),
        ("5", "$s9", "add_u32 $s1, $s1, 60", NOTHING),
        ("$s9", "5", "add_u32 $s1, $s1, 60", NOTHING),
        ("5", "5", "cmp_eq_u32 $c1, $s1, $s9\n cbr $c1, @row\n nop", None),
    ],
)
def test_an_offset_in_a_nest_is_bounded(inner: str, outer: str, after: str, expected):
    text = NEST.replace("INNER", inner).replace("OUTER", outer).replace("AFTER", after)
    shapes = shapes_of(text.replace("READ", READ), TILE)
    store = op_of(shapes.ssa, "st_global_u32")
    ranges = Ranges(shapes)
    found = ranges.of(store.args[0], store.node)
    firsts = ranges.of_firsts(store.args[0], store.node)
    if expected is None:
        assert (found.low, found.high) == NOTHING
        return
    assert (found.low, found.high) == expected
    lanes = 0 if expected == NOTHING else 60
    assert (firsts.low, firsts.high) == (expected[0], expected[1] - lanes)


def test_lanes_that_leave_the_inner_loop_early_are_not_followed():
    early = f"{READ}\n cmp_eq_u32 $c1, $s1, $s9\n cbr $c1, @out"
    text = NEST.replace("INNER", "5").replace("OUTER", "5").replace("READ", early)
    shapes = shapes_of(text.replace("AFTER", "@out:\n add_u32 $s1, $s1, 60"), TILE)
    store = op_of(shapes.ssa, "st_global_u32")
    found = Ranges(shapes).of(store.args[0], store.node)
    assert (found.low, found.high) == NOTHING


def test_scalars_of_lanes_that_part_in_a_loop_are_not_bounded_by_it():
    text = NEST.replace("INNER", "5").replace("OUTER", "5")
    text = text.replace("AFTER", "add_u32 $s1, $s1, 60\n cmp_eq_u32 $c1, $s0, $s2\n cbr $c1, @end")
    shapes = shapes_of(text.replace("READ", READ) + "@end:\n nop", TILE)
    store = op_of(shapes.ssa, "st_global_u32")
    ranges = Ranges(shapes)
    found = ranges.of(store.args[0], store.node)
    assert found.high == 60 + 4 * 80 + 16
    assert (ranges.of_firsts(store.args[0], store.node).high) == NOTHING[1]
