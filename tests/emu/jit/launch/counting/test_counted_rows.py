"""Counts made of the masks of iterations, of more than are kept at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.plan import analyse_counting
from simtlab.emu.analysis.counting.rows import Rows
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting

from ....support.counts import both
from .test_counting import kernel

TEXT = np.random.default_rng(5).integers(0, 7, 4096, np.uint8)

LINES = {
    # Lanes leave by one branch and by another, and one of them is not in the loop any more.
    "two ways out": """
        mov_u32 $s2, 0
    @next:
        add_u32 $s2, $s2, 1
        xor_u32 $s3, $s0, $s2
        and_u32 $s4, $s3, 15
        cmp_eq_u32 $c0, $s4, 3
        cbr $c0, @out
        cmp_lt_u32 $c0, $s2, 70
        cbr $c0, @next
        mov_u32 $s2, 1000
    @out:
    """,
    # Lanes that go back to one header by two branches: loops that share it.
    "a shared header": """
        mov_u32 $s2, 0
        mov_u32 $s5, $s0
    @again:
        mul_u32 $s5, $s5, 1664525
        add_u32 $s5, $s5, 1013904223
        shr_u32 $s3, $s5, 28
        cmp_gt_u32 $c0, $s3, 8
        cbr $c0, @again
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 12
        cbr $c0, @again
    """,
    # A loop on one side of a branch, the other side of which comes later in the order.
    "loops on sides": """
        mov_u32 $s2, 0
        mov_u32 $s3, 0
    @outer:
        and_u32 $s4, $s0, 3
        cmp_le_u32 $c0, $s4, $s3
        cbr $c0, @other
        mov_u32 $s5, $s4
    @inner:
        add_u32 $s2, $s2, $s5
        and_u32 $s6, $s2, 4
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @small
        add_u32 $s2, $s2, 3
    @small:
        sub_u32 $s5, $s5, 1
        cmp_ne_u32 $c0, $s5, 0
        cbr $c0, @inner
        br @join
    @other:
        add_u32 $s2, $s2, 5
    @join:
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c0, $s3, 4
        cbr $c0, @outer
    """,
    # Both sides of some branches in each other, and nodes that several of them reach.
    "many sides": """
        mov_u32 $s2, 0
        mov_u32 $s3, $s0
    @next:
        and_u32 $s4, $s3, 7
        cmp_eq_u32 $c0, $s4, 1
        cbr $c0, @one
        cmp_eq_u32 $c0, $s4, 2
        cbr $c0, @one
        cmp_gt_u32 $c0, $s4, 4
        cbr $c0, @large
        add_u32 $s2, $s2, 1
        br @done
    @large:
        cmp_eq_u32 $c0, $s4, 6
        cbr $c0, @done
        add_u32 $s2, $s2, 2
        br @done
    @one:
        add_u32 $s2, $s2, 4
    @done:
        shr_u32 $s3, $s3, 1
        cmp_ne_u32 $c0, $s3, 0
        cbr $c0, @next
    """,
    # Lanes that have left for the second loop are not on a side of the branch back to the first.
    "from one loop to another, or past it": """
        mov_u32 $s2, 0
        and_u32 $s3, $s0, 7
    @first:
        cmp_gt_u32 $c0, $s3, 3
        cbr $c0, @second
        cmp_eq_u32 $c0, $s3, 2
        cbr $c0, @out
        cmp_ge_u32 $c0, $s0, 65536
        cbr $c0, @first
    @second:
        mul_u32 $s4, $s0, 5
        and_u32 $s4, $s4, 15
    @next:
        cmp_ge_u32 $c0, $s2, $s4
        cbr $c0, @out
        add_u32 $s2, $s2, 1
        br @next
    @out:
    """,
    "a loop for each lane's own number": """
        mov_u32 $s2, 0
        mul_u32 $s3, $s0, 3
        and_u32 $s3, $s3, 127
    @next:
        cmp_eq_u32 $c0, $s3, 0
        cbr $c0, @out
        add_u32 $s2, $s2, $s3
        sub_u32 $s3, $s3, 1
        br @next
    @out:
    """,
}


def storing(name: str) -> str:
    """Return a kernel that stores $s2 after some lines."""
    return kernel(f"{LINES[name]} mov_u32 $s1, $s2\n")


@pytest.mark.parametrize("width", [1, 7, 8, 16, 32, 64])
@pytest.mark.parametrize("name", LINES)
def test_loops(name: str, width: int) -> None:
    (function,) = simtlab.assemble(storing(name))
    for items, group_size in ((256, 128), (300, 50)):
        launch = function.launch(items=items, group_size=group_size, warp=width)
        native, *_ = both(launch, (np.zeros(items, np.uint32),))
        assert native.engine == "jit"


@pytest.mark.parametrize("name", LINES)
def test_masks_do(name: str) -> None:
    (function,) = simtlab.assemble(storing(name))
    launch = function.launch(items=256, group_size=128, warp=32)
    facts = facts_for_counting(function.kernel, launch.geometry)
    analysis = analyse_counting(function.kernel, facts)
    assert analysis is not None
    regions = analysis.regions(facts)
    assert regions is not None
    runs_with = analysis.lane_plan(facts).masks.runs_with
    rows = Rows(analysis.flow, regions, runs_with, set(runs_with.values()), stops=False)
    assert rows.do
    kept = sum(len(row.kept) for row in rows.of.values())
    assert kept < rows.size


STRETCHES = """
kernel stretches(u32 %length, global u8* %text, global u32* %y) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%length]
    ld_kernarg_u64 $d1, [%text]
    mul_u32 $s3, $s0, $s1
    add_u32 $s4, $s3, $s1
    mov_u32 $s5, 0
@byte:
    cvt_u64_u32 $d2, $s3
    add_u64 $d2, $d1, $d2
    ld_global_u8 $s7, [$d2]
    cmp_eq_u32 $c0, $s7, 3
    cbr $c0, @skip
    cmp_eq_u32 $c0, $s7, 5
    cbr $c0, @skip
    add_u32 $s5, $s5, $s7
@skip:
    add_u32 $s3, $s3, 1
    cmp_lt_u32 $c0, $s3, $s4
    cbr $c0, @byte
    cvt_u64_u32 $d2, $s0
    ld_kernarg_u64 $d3, [%y]
    mad_u64 $d3, $d2, 4, $d3
    st_global_u32 $s5, [$d3]
    ret
}
"""


@pytest.mark.parametrize("length", [1, 16, 40])
@pytest.mark.parametrize("width", [7, 16, 32, 64])
def test_versions_of_loops_without_tests(length: int, width: int) -> None:
    (function,) = simtlab.assemble(STRETCHES)
    arguments: tuple[Any, ...] = (np.uint32(length), TEXT, np.zeros(96, np.uint32))
    launch = function.launch(items=96, group_size=32, warp=width)
    native, *_ = both(launch, arguments)
    assert native.engine == "jit"


BARRIERS = """
kernel rounds(global u32* %y) {
    .group u32 cells[64]
    workitemid_u32 $s0, 0
    workitemflatabsid_u32 $s9
    shl_u32 $s1, $s0, 2
    mov_u32 $s2, 0
@round:
    and_u32 $s3, $s0, $s2
    cmp_eq_u32 $c0, $s3, 0
    cbr $c0, @wait
    add_u32 $s8, $s8, $s3
@wait:
    st_group_u32 $s8, [cells+$s1]
    barrier
    xor_u32 $s4, $s1, 4
    ld_group_u32 $s5, [cells+$s4]
    barrier
    and_u32 $s6, $s0, 1
    cmp_eq_u32 $c0, $s6, 0
    cbr $c0, @even
    add_u32 $s8, $s8, $s5
@even:
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, 40
    cbr $c0, @round
    cvt_u64_u32 $d0, $s9
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s8, [$d1]
    ret
}
"""


@pytest.mark.parametrize(("width", "items"), [(7, 128), (16, 128), (32, 128), (32, 100), (64, 128)])
def test_iterations_with_barriers_in_them(width: int, items: int) -> None:
    (function,) = simtlab.assemble(BARRIERS)
    launch = function.launch(items=items, group_size=64, warp=width)
    both(launch, (np.zeros(items, np.uint32),))


@pytest.mark.parametrize(
    ("group_size", "width"), [(24, 8), (48, 16), (96, 16), (96, 32), (192, 16)]
)
def test_workgroups_of_three_times_a_power_of_two_warps(group_size: int, width: int) -> None:
    (function,) = simtlab.assemble(BARRIERS.replace("cells[64]", f"cells[{group_size}]"))
    launch = function.launch(items=2 * group_size, group_size=group_size, warp=width)
    native, *_ = both(launch, (np.zeros(2 * group_size, np.uint32),))
    assert native.engine == "jit"


SCAN = """
kernel scan(global u32* %x, global u32* %y) {
    .group u32 keys[128]
    .group u32 sums[256]
    workitemid_u32 $s0, 0
    workitemflatabsid_u32 $s1
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    shl_u32 $s4, $s0, 2
    st_group_u32 $s2, [keys+$s4]
    mov_u32 $s3, $s2
    mov_u32 $s5, $s4
    mov_u32 $s6, 1
@scan:
    st_group_u32 $s3, [sums+$s5]
    barrier
    cmp_lt_u32 $c0, $s0, $s6
    cbr $c0, @added
    shl_u32 $s7, $s6, 2
    sub_u32 $s8, $s4, $s7
    ld_group_u32 $s9, [keys+$s8]
    cmp_ne_u32 $c0, $s9, $s2
    cbr $c0, @added
    sub_u32 $s8, $s5, $s7
    ld_group_u32 $s9, [sums+$s8]
    add_u32 $s3, $s3, $s9
@added:
    xor_u32 $s5, $s5, 512
    shl_u32 $s6, $s6, 1
    cmp_lt_u32 $c0, $s6, 128
    cbr $c0, @scan
    cmp_lt_u32 $c0, $s0, 40
    cbr $c0, @done
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s3, [$d1]
@done:
    ret
}
"""


@pytest.mark.parametrize("width", [16, 32, 64])
def test_loops_with_a_copy_for_each_iteration(width: int) -> None:
    """In each of them other vectors run, and some branches are known."""
    (function,) = simtlab.assemble(SCAN)
    x = np.sort(np.random.default_rng(2).integers(0, 60, 1300, np.uint32))
    for items in (1280, 1300):
        launch = function.launch(items=items, group_size=128, warp=width)
        native, *_ = both(launch, (x, np.zeros(items, np.uint32)))
        assert native.engine == "jit"


@pytest.mark.parametrize(("group_size", "items"), [(8, 64), (8, 61), (16, 96), (16, 100)])
def test_workgroups_that_are_a_part_of_a_warp(group_size: int, items: int) -> None:
    (function,) = simtlab.assemble(BARRIERS.replace("cells[64]", f"cells[{group_size}]"))
    for width in (32, 64):
        launch = function.launch(items=items, group_size=group_size, warp=width)
        native, *_ = both(launch, (np.zeros(items, np.uint32),))
        assert native.engine == "jit"
