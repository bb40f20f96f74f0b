"""Which kernels get warps of 64 lanes, and that their results are the oracle's."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.uniformity import Facts
from simtlab.emu.analysis.width import USUAL, WIDE, width_for

from ...support.flows import kernel_of
from ..support.agreement import same

START = """
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u32 $s1, [%n]
    mad_u64 $d2, $d0, 4, $d1
    mov_u32 $s2, 0
    ld_global_u32 $s4, [$d2]
@top:
"""
END = """
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, $s1
    cbr $c0, @top
    st_global_u32 $s4, [$d2]
"""
NEIGHBOURS = "ld_global_u32 $s3, [$d2]\n mad_u32 $s4, $s3, $s2, $s4"
ONE_PLACE = "ld_global_u32 $s3, [$d1+8]\n mad_u32 $s4, $s3, $s2, $s4"
ANYWHERE = """
    and_u32 $s3, $s4, 7
    cvt_u64_u32 $d3, $s3
    mad_u64 $d3, $d3, 4, $d1
    ld_global_u32 $s3, [$d3]"""
OWN_WAY = "cmp_gt_u32 $c0, $s4, $s2\n cbr $c0, @out"

LINE = Facts(USUAL, (128, 1, 1), True)


def width_of(body: str, facts: Facts = LINE) -> int:
    return width_for(kernel_of(body), facts)


@pytest.mark.parametrize("body", [NEIGHBOURS, ONE_PLACE])
def test_loops_over_neighbours_that_all_leave_together_get_wide_warps(body: str) -> None:
    assert width_of(START + body + END) == WIDE


@pytest.mark.parametrize("body", [ANYWHERE, NEIGHBOURS + "\n" + OWN_WAY])
def test_other_loops_do_not(body: str) -> None:
    assert width_of(START + body + END + "@out:") == USUAL


def test_nor_does_code_without_a_loop() -> None:
    assert width_of(START.replace("@top:", "") + NEIGHBOURS) == USUAL


def test_nor_do_workgroups_that_such_warps_would_not_fill() -> None:
    assert width_of(START + NEIGHBOURS + END, Facts(USUAL, (96, 1, 1), True)) == USUAL


def test_nor_do_rows_that_are_shorter() -> None:
    assert width_of(START + NEIGHBOURS + END, Facts(USUAL, (32, 4, 1), True)) == USUAL


TILE = Facts(USUAL, (16, 16, 1), True)


def test_tiles_with_barriers_get_them_and_others_without_a_loop_do_not() -> None:
    straight = START.replace("@top:", "") + NEIGHBOURS + "\n cbr $c0, @end\n nop\n@end:\n"
    assert width_of(straight + "barrier\n", TILE) == WIDE
    assert width_of(straight, TILE) == USUAL
    assert width_of(straight + "barrier\n", LINE) == USUAL


def test_loops_over_the_rows_of_a_tile_do() -> None:
    assert (
        width_of(START.replace("flatabsid_u32 $s0", "absid_u32 $s0, 0") + NEIGHBOURS + END, TILE)
        == WIDE
    )


@pytest.mark.parametrize("items", [256, 200])
def test_wide_warps_compute_the_same(items: int) -> None:
    body = f"{START} {NEIGHBOURS} {END}"
    assert width_of(body) == WIDE
    text = f"kernel k(global u32* %x, u32 %n) {{\n{body}\n ret\n}}"
    same(text, [np.arange(items, dtype=np.uint32), 5], items=items, group_size=128)
