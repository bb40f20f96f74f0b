"""Accesses outside of a block of memory, which one function of a kernel reports."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from .....support.oracle_work import make
from ....support.agreement import same, trap_alike

TEXT = """\
kernel k(global u32* %x, u32 %lane, u32 %wrong) {
    .group u32 cells[256]
    .private u32 own[4]
    workitemid_u32 $s0, 0
    laneid_u32 $s9
    ld_kernarg_u32 $s1, [%lane]
    ld_kernarg_u32 $s2, [%wrong]
    cmp_eq_u32 $c0, $s0, $s1
    mul_u32 $s3, $s0, 4
    select_u32 $s3, $c0, $s2, $s3
    and_u32 $s4, $s0, 12
    select_u32 $s4, $c0, $s2, $s4
    st_SEGMENT_u32 $s0, [WHERE]
    ld_SEGMENT_u32 $s5, [WHERE]
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d0, $d1, 4, $d0
    st_global_u32 $s5, [$d0]
    ret
}
"""


@pytest.mark.parametrize(("segment", "where"), [("group", "cells+$s3"), ("private", "own+$s4")])
@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
def test_the_first_lane_outside_is_reported(segment: str, where: str, width: int):
    text = TEXT.replace("SEGMENT", segment).replace("WHERE", where)
    size = 2 * width
    for lane, wrong in ((width, 1024), (size - 1, 0xFFFF_FFFC), (0, 2)):
        x = np.zeros(size, np.uint32)
        work = make(text, [x, lane, wrong], items=size, group_size=size, width=width)
        kernel = work.kernel
        assert generate(kernel, 0, facts_of(kernel, work.geometry)).count("@outside.") > 1
        record = trap_alike(text, [x, lane, wrong], items=size, group_size=size, width=width)
        assert record.local == lane


BELOW = """
kernel k(global u32* %y) {
    .group u64 own[128]
    .group u64 more[64]
    workitemflatid_u32 $s0
    mul_u32 $s1, $s0, 8
    st_group_u32 $s0, [own+$s1]
    barrier
    sub_u32 $s2, 63, $s0
    mul_u32 $s2, $s2, 4
    ld_group_u32 $s3, [more+$s2]
    barrier
    ld_kernarg_u64 $d0, [%y]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d0, $d1, 4, $d0
    st_global_u32 $s3, [$d0]
    ret
}
"""


@pytest.mark.parametrize("width", [16, 32, 64])
def test_places_below_an_array_are_no_places_of_the_one_before(width: int):
    y = np.zeros(128, np.uint32)
    record = trap_alike(BELOW, [y], items=128, group_size=128, width=width)
    assert record.local == 64
    same(BELOW, [y], items=64, group_size=64, width=width)
