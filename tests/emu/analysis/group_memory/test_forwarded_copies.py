"""Loads of group memory that take what was stored, where loops have a copy for each iteration."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.group_memory.forwarded import Forwarded
from simtlab.emu.analysis.group_memory.forwarded_copies import forwarded_in_copies
from simtlab.emu.analysis.lanes.running import Walk
from simtlab.emu.analysis.ranges.offset_ranges import Ranges

TREE = """
kernel k(u32 %n, global u32* %x) {{
    .group u32 t[64]
    workitemid_u32 $s0, 0
    shl_u32 $s1, $s0, 2
    ld_kernarg_u32 $s2, [%n]
    st_group_u32 $s0, [t+$s1]
    mov_u32 $s3, 32
@next:
    barrier
    cmp_ge_u32 $c0, $s0, $s3
    cbr $c0, @skip
    add_u32 $s4, $s0, $s3
    shl_u32 $s5, $s4, 2
    {body}
@skip:
    shr_u32 $s3, $s3, 1
    cmp_ne_u32 $c0, $s3, 0
    cbr $c0, @next
    barrier
    {end}
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s1
    add_u64 $d0, $d0, $d1
    st_global_u32 $s6, [$d0]
    ret
}}
"""
ADD = """
    ld_group_u32 $s6, [t+$s1]
    ld_group_u32 $s7, [t+$s5]
    add_u32 $s6, $s6, $s7
    st_group_u32 $s6, [t+$s1]
"""
TOTAL = "ld_group_u32 $s6, [t]"


def found(body: str, end: str = TOTAL, *, whole: bool = True) -> Forwarded:
    kernel = assemble(TREE.format(body=body, end=end)).kernels[0]
    facts = Facts(64, (64, 1, 1), whole=whole, one_warp=True)
    shapes, plan = analyse(kernel).shapes(facts), analyse(kernel).lane_plan(facts)
    loops = Ranges(shapes).trips
    copied = Walk(shapes, loops, gains=False).copied
    return forwarded_in_copies(shapes, copied, plan.masks.runs_with, kernel.group_size, 16)


def test_all_levels_of_a_tree_are_forwarded() -> None:
    one = found(ADD)
    assert len(one.loads) == 2 * 6 + 1
    assert len(one.unread) == 2
    (total,) = (s for access, s in one.loads.items() if access.copies == ())
    assert [(access.copies[0][1], access.op.pc) for access in total.stores] == [(5, 13)]
    assert set(total.lane_of.tolist()) == {0}


@pytest.mark.parametrize(
    "body",
    [
        ADD + "atomic_add_group_u32 [t+$s1], $s0",
        ADD.replace("st_group_u32 $s6, [t+$s1]", "st_group_u8 $s6, [t+$s1]"),
        # Whether these store to what others have stored is not known, nor where that one stores.
        "cmp_lt_u32 $c1, $s2, $s4\n cbr $c1, @skip\n" + ADD.replace("6, [t+$s1]", "6, [t+$s5]"),
        "cmp_lt_u32 $c1, $s2, 7\n cbr $c1, @skip\n" + ADD.replace("6, [t+$s1]", "6, [t+$s5]"),
        ADD + "and_u32 $s7, $s2, 60\n st_group_u32 $s0, [t+$s7]",
    ],
)
def test_nothing_is_unless_all_is_known(body: str) -> None:
    assert not found(body).loads


@pytest.mark.parametrize("other", ["$s4", "7"])
def test_stores_of_lanes_that_data_choose_change_what_these_have_stored(other: str) -> None:
    one = found(f"cmp_lt_u32 $c1, $s2, {other}\n cbr $c1, @skip\n" + ADD)
    assert len(one.loads) == 2 * 6 + 1
    assert len(one.unread) == 2
    assert [access.copies[0][1] for access in one.changes] == list(range(6))
    for copy, (changed, lanes) in enumerate(s for c in one.changes.values() for s in c.items()):
        assert changed.op.pc == 3
        assert lanes.tolist() == [lane < 32 >> copy for lane in range(64)]


def test_loads_of_lanes_that_data_choose_are_forwarded() -> None:
    some = "cmp_lt_u32 $c1, $s2, $s4\n cbr $c1, @none\n ld_group_u32 $s7, [t+$s5]\n@none:\n"
    one = found(ADD.replace("ld_group_u32 $s7, [t+$s5]\n", some))
    assert len(one.loads) == 2 * 6 + 1
    assert len(one.unread) == 2


def test_partial_workgroups_and_words_that_nothing_stores_are_not() -> None:
    assert not found(ADD, whole=False).loads
    assert not found("st_group_u32 $s0, [t+$s5]", "ld_group_u32 $s6, [t+$s1+4]").loads


def test_a_side_that_all_lanes_pass_by_stores_nothing() -> None:
    one = found("cmp_gt_u32 $c1, $s3, 1\n cbr $c1, @skip\n" + ADD)
    assert {access.copies for access in one.loads} == {((0, 5),), ()}


def test_gathers_do_beside_a_load_from_memory() -> None:
    anywhere = "and_u32 $s8, $s2, 60\n ld_group_u32 $s6, [t+$s8]"
    assert not found(ADD, anywhere).loads  # neighbours alone gain nothing
    one = found("sub_u32 $s8, 252, $s1\n" + ADD.replace("$s1]", "$s8]"), anywhere)
    assert len(one.loads) == 2 * 6
    assert not one.unread
