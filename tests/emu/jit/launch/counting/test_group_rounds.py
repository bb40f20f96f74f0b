"""Workgroups that run rounds until nothing changes, choose digits, or look things up in a table."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of
from simtlab.emu.jit.launch.engine import depends_on_schedule

from ....support.counts import WIDTHS, engines

LEAST = """
kernel least(global u32* %x) {
    .group u32 own[64]
    .group u32 changed[1]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        shl_u32 $s3, $s0, 2
        st_group_u32 $s2, [own+$s3]
        sub_u32 $s4, $s3, 4
        max_s32 $s4, $s4, 0
    @round:
        mov_u32 $s5, 0
        st_group_u32 $s5, [changed]
        barrier
        ld_group_u32 $s6, [own+$s4]
        barrier
        and_u32 $s7, $s6, 1
        cmp_eq_u32 $c0, $s7, 0
        cbr $c0, @kept
        cmp_ge_u32 $c0, $s6, $s2
        cbr $c0, @kept
        mov_u32 $s2, $s6
        st_group_u32 $s2, [own+$s3]
        mov_u32 $s5, 1
        st_group_u32 $s5, [changed]
    @kept:
        barrier
        ld_group_u32 $s5, [changed]
        barrier
        cmp_ne_u32 $c0, $s5, 0
        cbr $c0, @round
        st_global_u32 $s2, [$d0]
        ret
}"""
"""Odd numbers move on to where there are larger ones, until none does."""

SELECT = """
kernel select(global u32* %x) {
    .group u32 count[16]
    .group u32 chosen[2]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        mov_u32 $s4, 0
        cmp_ge_u32 $c1, $s0, 16
        cbr $c1, @cleared
        shl_u32 $s3, $s0, 2
        st_group_u32 $s4, [count+$s3]
    @cleared:
        barrier
        and_u32 $s5, $s2, 15
        shl_u32 $s5, $s5, 2
        mov_u32 $s6, 1
        atomic_add_group_u32 [count+$s5], $s6
        barrier
        cmp_ne_u32 $c0, $s0, 3
        cbr $c0, @known
        mov_u32 $s7, 5
    @bin:
        ld_group_u32 $s8, [count+$s4]
        cmp_le_u32 $c0, $s7, $s8
        cbr $c0, @found
        sub_u32 $s7, $s7, $s8
        add_u32 $s4, $s4, 4
        cmp_lt_u32 $c0, $s4, 64
        cbr $c0, @bin
    @found:
        st_group_u32 $s4, [chosen]
    @known:
        barrier
        ld_group_u32 $s4, [chosen]
        cmp_gt_u32 $c0, $s5, $s4
        cbr $c0, @end
        st_global_u32 $s7, [$d0]
    @end:
        ret
}"""
"""One work-item looks for the digit of the fifth number; what it finds decides for all."""


TABLE = """
kernel table(global u32* %x) {
    .group u32 limits[256]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        ld_kernarg_u64 $d1, [%x]
        mov_u32 $s2, $s0
    @fill:
        cvt_u64_u32 $d2, $s2
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s3, [$d2]
        shl_u32 $s4, $s2, 2
        st_group_u32 $s3, [limits+$s4]
        add_u32 $s2, $s2, 64
        cmp_lt_u32 $c0, $s2, 256
        cbr $c0, @fill
        barrier
        mul_u32 $s4, $s1, 52
    @look:
        and_u32 $s4, $s4, 1020
        ld_group_u32 $s5, [limits+$s4]
        add_u32 $s4, $s4, 4
        add_u32 $s6, $s6, $s5
        cmp_lt_u32 $c0, $s6, 200
        cbr $c0, @look
        ld_kernarg_u64 $d3, [%y]
        cvt_u64_u32 $d0, $s1
        mad_u64 $d0, $d0, 4, $d3
        st_global_u32 $s6, [$d0]
        ret
}""".replace("global u32* %x", "global u32* %x, global u32* %y")
"""A workgroup fills a table in turns; what work-items find there decides."""


SMOOTH = """
kernel smooth(global u32* %x) {
    .group u32 own[66]
    .group u32 most[64]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        shl_u32 $s3, $s0, 2
        st_group_u32 $s2, [own+$s3+4]
    @round:
        barrier
        ld_group_u32 $s4, [own+$s3]
        ld_group_u32 $s5, [own+$s3+8]
        min_u32 $s4, $s4, $s5
        add_u32 $s4, $s4, 2
        min_u32 $s4, $s4, $s2
        sub_u32 $s6, $s2, $s4
        mov_u32 $s2, $s4
        st_group_u32 $s6, [most+$s3]
        mov_u32 $s7, 32
    @halve:
        barrier
        cmp_ge_u32 $c0, $s0, $s7
        cbr $c0, @halved
        mad_u32 $s8, $s7, 4, $s3
        ld_group_u32 $s5, [most+$s3]
        ld_group_u32 $s6, [most+$s8]
        cmp_le_u32 $c0, $s6, $s5
        cbr $c0, @halved
        st_group_u32 $s6, [most+$s3]
    @halved:
        shr_u32 $s7, $s7, 1
        cmp_ne_u32 $c0, $s7, 0
        cbr $c0, @halve
        barrier
        st_group_u32 $s2, [own+$s3+4]
        ld_group_u32 $s5, [most]
        cmp_gt_u32 $c0, $s5, 1
        cbr $c0, @round
        st_global_u32 $s2, [$d0]
        ret
}"""
"""Rounds until the largest change is small, which a tree finds: a loop with barriers in another."""


@pytest.mark.parametrize("text", [LEAST, SELECT, TABLE, SMOOTH])
@pytest.mark.parametrize("items", [320, 300])
def test_counts_and_results_are_those_of_the_interpreter(text: str, items: int) -> None:
    x = np.random.default_rng(5).integers(0, 90, 320).astype(np.uint32)
    kernel = simtlab.assemble(text)[text.split()[1].split("(")[0]].kernel
    relied = reliance_of(kernel, (64, 1, 1))
    assert relied is not None
    assert not relied.group_unit
    assert not depends_on_schedule(kernel)
    y = [np.zeros(320, np.uint32)] * (text is TABLE)
    assert engines(text, x, *y, items=items, group_size=64, widths=WIDTHS) == {"jit"}
