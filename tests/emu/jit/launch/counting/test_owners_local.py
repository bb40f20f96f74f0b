"""Counts of kernels whose branches depend on what they store to group and private memory."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of
from simtlab.emu.jit.kernel.memory.watched.owners import NUMBER
from simtlab.emu.jit.runtime.context import Slot

from ....support.counts import ORDER, WIDTHS, assert_equal, counted_by, engines
from ....support.owned_places import numbers

SORT = """
kernel k(global u32* %x) {
    .group u32 keys[64]
        workitemflatid_u32 $s0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        shl_u32 $s3, $s0, 2
        st_group_u32 $s2, [keys+$s3]
        mov_u32 $s4, 2
    @grow:
        shr_u32 $s5, $s4, 1
    @merge:
        BARRIER
        xor_u32 $s6, $s0, $s5
        cmp_le_u32 $c0, $s6, $s0
        cbr $c0, @next
        shl_u32 $s7, $s6, 2
        ld_group_u32 $s8, [keys+$s3]
        ld_group_u32 $s9, [keys+$s7]
        and_u32 $s10, $s0, $s4
        cmp_eq_u32 $c1, $s10, 0
        cmp_gt_u32 $c2, $s8, $s9
        xor_b1 $c1, $c1, $c2
        cbr $c1, @next
        st_group_u32 $s9, [keys+$s3]
        st_group_u32 $s8, [keys+$s7]
    @next:
        shr_u32 $s5, $s5, 1
        cmp_ne_u32 $c0, $s5, 0
        cbr $c0, @merge
        shl_u32 $s4, $s4, 1
        cmp_le_u32 $c0, $s4, 64
        cbr $c0, @grow
        barrier
        ld_group_u32 $s2, [keys+$s3]
        st_global_u32 $s2, [$d0]
        ret
}"""


def test_a_sort_in_group_memory_between_barriers() -> None:
    x = np.random.default_rng(2).integers(0, 1000, 320).astype(np.uint32)
    text = SORT.replace("BARRIER", "barrier")
    assert engines(text, x, items=320, group_size=64, widths=WIDTHS) == {"jit"}


def test_a_sort_in_group_memory_that_lacks_a_barrier() -> None:
    x = np.random.default_rng(2).integers(0, 1000, 320).astype(np.uint32)
    text = SORT.replace("BARRIER", "")
    assert engines(text, x, items=320, group_size=64, widths=(7, 32)) == {ORDER}


@pytest.mark.parametrize("left", [66, 100, 131, 500, 3000])
def test_numbers_of_owners_of_group_memory_begin_again(left: int) -> None:
    (kernel,) = simtlab.assemble(SORT.replace("BARRIER", "barrier"))
    launch = kernel.launch(items=640, group_size=64, engine="jit", stats=True)
    x = np.random.default_rng(3).integers(0, 1000, 640).astype(np.uint32)
    first, statistics = x.copy(), launch(x.copy()).statistics
    plan = launch._prepared.kept.get("plan")
    assert plan is not None
    (scratch,) = plan.idle
    scratch.context[Slot.GROUP_OWNER] = NUMBER - left
    again = launch(first)
    assert again.engine == "jit"
    assert_equal(again.statistics, statistics)
    assert scratch.context[Slot.GROUP_OWNER] < NUMBER // 2 or left == 3000
    assert first.reshape(-1, 64).tolist() == np.sort(x.reshape(-1, 64)).tolist()


THROUGH_PRIVATE = """
kernel k(global u32* %x, global u32* %y, u32 %by) {
    .private u32 kept[4]
        workitemflatabsid_u32 $s1
        ld_kernarg_u32 $s4, [%by]
        add_u32 $s4, $s4, $s1
        cvt_u64_u32 $d0, $s1
        cvt_u64_u32 $d4, $s4
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d2, $d4, 4, $d1
        ld_global_u32 $s2, [$d2]
        st_private_u32 $s2, [kept+4]
        ld_private_u32 $s3, [kept+4]
        and_u32 $s5, $s3, 7
    @loop:
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @end
        sub_u32 $s5, $s5, 1
        br @loop
    @end:
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d2, $d0, 4, $d1
        st_global_u32 $s3, [$d2]
        ret
}"""


def test_what_was_stored_to_private_memory_decides() -> None:
    x = numbers(300)
    assert engines(THROUGH_PRIVATE, x, np.zeros(150, np.uint32), 5) == {"jit"}


def test_two_parameters_with_one_buffer_are_counted_in_order() -> None:
    (kernel,) = simtlab.assemble(THROUGH_PRIVATE)
    x = numbers(300)
    launch = kernel.launch(items=150, group_size=50, stats=True)
    assert counted_by(launch, x, x, 5)[1] == ORDER


def test_buffers_that_share_memory_are_left_to_the_interpreter() -> None:
    (kernel,) = simtlab.assemble(THROUGH_PRIVATE)
    found = []
    for engine in ("jit", "interp"):
        memory, device = numbers(300), simtlab.Device()
        x, y = device.map(memory[:200]), device.map(memory[10:210])
        launch = kernel.launch(items=150, group_size=50, engine=engine, stats=True)
        found.append((launch(x, y, 5), memory))
    assert found[0][0].engine == "interp"
    assert_equal(found[0][0].statistics, found[1][0].statistics)
    np.testing.assert_array_equal(found[0][1], found[1][1])


SEGMENTS = """
kernel k(global u32* %x) {
    .group u32 sums[64]
    .group u32 heads[64]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        and_u32 $s4, $s2, 1
        shl_u32 $s3, $s0, 2
        st_group_u32 $s2, [sums+$s3]
        st_group_u32 $s4, [heads+$s3]
        mov_u32 $s5, 1
    @double:
        barrier
        mov_u32 $s6, 0
        mov_u32 $s7, 0
        cmp_lt_u32 $c0, $s0, $s5
        cbr $c0, @first
        sub_u32 $s8, $s0, $s5
        shl_u32 $s8, $s8, 2
        ld_group_u32 $s6, [sums+$s8]
        ld_group_u32 $s7, [heads+$s8]
    @first:
        BARRIER
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @keep
        add_u32 $s2, $s2, $s6
    @keep:
        or_u32 $s4, $s4, $s7
        st_group_u32 $s2, [sums+$s3]
        st_group_u32 $s4, [heads+$s3]
        shl_u32 $s5, $s5, 1
        cmp_lt_u32 $c0, $s5, 64
        cbr $c0, @double
        st_global_u32 $s2, [$d0]
        ret
}"""


def test_places_that_follow_from_numbers_are_not_watched() -> None:
    x = np.random.default_rng(2).integers(0, 1000, 320).astype(np.uint32)
    text = SEGMENTS.replace("BARRIER", "barrier")
    relied = reliance_of(simtlab.assemble(text)["k"].kernel, (64, 1, 1))
    assert relied is not None
    assert not relied.group_unit
    assert engines(text, x, items=320, group_size=64, widths=WIDTHS) == {"jit"}
    assert engines(text, x[:300], items=300, group_size=64, widths=WIDTHS) == {"jit"}


def test_places_that_are_not_apart_are_watched() -> None:
    x = np.random.default_rng(2).integers(0, 1000, 320).astype(np.uint32)
    text = SEGMENTS.replace("BARRIER", "")
    relied = reliance_of(simtlab.assemble(text)["k"].kernel, (64, 1, 1))
    assert relied is not None
    assert relied.group_unit == 4
    assert engines(text, x, items=320, group_size=64, widths=(7, 32)) == {ORDER}


CLOSURE = """
kernel k(global u32* %x) {
    .group u32 row[100]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        mov_u32 $s3, 0
    @round:
        shl_u32 $s4, $s3, 2
        cmp_ne_u32 $c0, $s0, $s3
        cbr $c0, @shared
        st_group_u32 $s2, [row+$s4]
    @shared:
        BARRIER
        shr_u32 $s5, $s2, $s3
        and_u32 $s5, $s5, 1
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @next
        ld_group_u32 $s5, [row+$s4]
        add_u32 $s2, $s2, $s5
    @next:
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c0, $s3, 100
        cbr $c0, @round
        st_global_u32 $s2, [$d0]
        ret
}"""
"""In each of 100 rounds another work-item stores what others look at."""


def test_rounds_that_all_have_places_of_their_own() -> None:
    x = np.random.default_rng(2).integers(0, 1 << 32, 400, np.uint32)
    text = CLOSURE.replace("BARRIER", "barrier")
    relied = reliance_of(simtlab.assemble(text)["k"].kernel, (100, 1, 1))
    assert relied is not None
    assert not relied.group_unit
    assert engines(text, x, items=400, group_size=100, widths=WIDTHS) == {"jit"}
    assert engines(text, x[:390], items=390, group_size=100, widths=WIDTHS) == {"jit"}
    assert engines(CLOSURE.replace("BARRIER", ""), x, items=400, group_size=100) == {ORDER}
