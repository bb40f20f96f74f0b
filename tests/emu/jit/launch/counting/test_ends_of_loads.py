"""Counts of kernels that look up group memory at any place before what work-items store there."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of

from ....support.counts import ORDER, WIDTHS, engines

LOOKED_UP = """
kernel k(global u32* %x) {
    .group u32 table[64]
    .group u32 most[64]
    .group u32 rest[64]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        shl_u32 $s3, $s0, 2
        and_u32 $s5, $s2, 31
        st_group_u32 $s5, [table+$s3]
        barrier
        mov_u32 $s4, 0
    @round:
        ld_group_u32 $s6, [table+$s3]
        mov_u32 $s9, 0
    @walk:
        min_u32 $s5, $s4, 1
        mad_u32 $s5, $s5, SKIP, $s6
        shl_u32 $s5, $s5, 2
        ld_group_u32 $s6, [table+$s5+4]
        add_u32 $s2, $s2, $s6
        and_u32 $s6, $s6, 31
        add_u32 $s9, $s9, 3
        cmp_gt_u32 $c0, $s6, $s9
        cbr $c0, @walk
        st_group_u32 $s2, [most+$s3]
        barrier
        mov_u32 $s7, 32
    @halve:
        cmp_eq_u32 $c0, $s7, 0
        cbr $c0, @halved
        cmp_ge_u32 $c0, $s0, $s7
        cbr $c0, @less
        mad_u32 $s8, $s7, 4, $s3
        ld_group_u32 $s5, [most+$s3]
        ld_group_u32 $s6, [most+$s8]
        cmp_le_u32 $c0, $s6, $s5
        cbr $c0, @less
        st_group_u32 $s6, [most+$s3]
    @less:
        barrier
        shr_u32 $s7, $s7, 1
        br @halve
    @halved:
        ld_group_u32 $s5, [most]
        barrier
        add_u32 $s4, $s4, 1
        and_u32 $s5, $s5, 15
        cmp_lt_u32 $c0, $s4, $s5
        cbr $c0, @round
        st_global_u32 $s2, [$d0]
        ret
}"""
"""Rounds in which all look up a table, and a tree finds the largest; all look at that at once."""


def looked_up(skip: int) -> str:
    """Let places be so many elements later after the first round."""
    return LOOKED_UP.replace("SKIP", str(skip))


@pytest.mark.parametrize("items", [320, 300])
def test_loads_before_what_is_stored_are_not_watched(items: int) -> None:
    x = np.random.default_rng(5).integers(0, 1 << 32, 320, np.uint32)
    relied = reliance_of(simtlab.assemble(looked_up(0))["k"].kernel, (64, 1, 1))
    assert relied is not None
    assert not relied.watched
    assert set(relied.ends.values()) == {256}
    assert engines(looked_up(0), x, items=items, group_size=64, widths=WIDTHS) == {"jit"}


@pytest.mark.parametrize(("skip", "by"), [(64, ORDER), (128, "jit")])
def test_a_launch_that_loads_after_the_end_is_watched(skip: int, by: str) -> None:
    """It may load what others store meanwhile, or what is never stored to."""
    x = np.random.default_rng(5).integers(0, 1 << 32, 320, np.uint32)
    assert engines(looked_up(skip), x, items=320, group_size=64, widths=WIDTHS) == {by}


def test_what_others_store_after_an_offset_needs_a_watch() -> None:
    text = looked_up(0).replace("[table+$s5+4]", "[most+$s5]")
    relied = reliance_of(simtlab.assemble(text)["k"].kernel, (64, 1, 1))
    assert relied is not None
    assert relied.watched


WALKED = """
kernel k(u32 %start, u32 %n, global u32* %x) {
    .group u32 table[16]
    .group u32 most[128]
    .group u32 later[256]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        ld_kernarg_u32 $s3, [%start]
        ld_kernarg_u32 $s7, [%n]
        mov_u32 $s4, 0
        mov_u32 $s8, 0
    @walk:
        ld_group_u32 $s5, [later+$s3]
        ld_group_u32 $s6, [table+$s3]
        add_u32 $s4, $s4, $s5
        add_u32 $s4, $s4, $s6
        add_u32 $s3, $s3, 4
        add_u32 $s8, $s8, 1
        cmp_lt_u32 $c0, $s8, $s7
        cbr $c0, @walk
        and_u32 $s4, $s4, 63
    @count:
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c0, $s4, 64
        cbr $c0, @count
        shl_u32 $s0, $s0, 2
        st_group_u32 $s2, [most+$s0]
        ret
}"""
"""Loads of two arrays at one place, which is an argument, while others store between them."""


@pytest.mark.parametrize(("start", "by"), [(0, "jit"), (48, "jit"), (64, ORDER), (512, ORDER)])
def test_loads_at_one_base_have_ends_of_their_own(start: int, by: str) -> None:
    """What a test before a loop says of the second array says less of the first one."""
    relied = reliance_of(simtlab.assemble(WALKED)["k"].kernel, (128, 1, 1))
    assert relied is not None
    assert set(relied.ends.values()) == {64}
    x = np.random.default_rng(5).integers(0, 1 << 32, 256, np.uint32)
    numbers = np.uint32(start), np.uint32(3)
    assert engines(WALKED, *numbers, x, items=256, group_size=128, widths=WIDTHS) == {by}
