"""Interior warps that begin at any work-item of a row, and rows that have those of most rows."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.interior.row_vectors import may_begin_anywhere

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

GRID = """
kernel grid(u32 %wide, u32 %high, u32 %deep, global u32* %x, global u32* %y) {
    .private u32 own[4]
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    workitemabsid_u32 $s2, 2
    ld_kernarg_u32 $s3, [%wide]
    ld_kernarg_u32 $s4, [%high]
    ld_kernarg_u32 $s5, [%deep]
    sub_u32 $s6, $s3, RIGHT
    sub_u32 $s7, $s4, 1
    cmp_lt_u32 $c0, $s0, LEFT
    cmp_ge_u32 $c1, $s0, $s6
    or_b1 $c0, $c0, $c1
    cmp_eq_u32 $c1, $s1, 0
    or_b1 $c0, $c0, $c1
    cmp_ge_u32 $c1, $s1, $s7
    or_b1 $c0, $c0, $c1
    cmp_ge_u32 $c1, $s2, $s5
    or_b1 $c0, $c0, $c1
    cbr $c0, @done
    mad_u32 $s8, $s2, $s4, $s1
    mad_u32 $s8, $s8, $s3, $s0
    cvt_u64_u32 $d0, $s8
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    cvt_u64_u32 $d2, $s3
    shl_u64 $d2, $d2, 2
    sub_u64 $d3, $d1, $d2
    add_u64 $d4, $d1, $d2
    ld_global_u32 $s9, [$d1-4]
    ld_global_u32 $s10, [$d1+4]
    mad_u32 $s9, $s10, 3, $s9
    ld_global_u32 $s10, [$d3]
    mad_u32 $s9, $s10, 5, $s9
    ld_global_u32 $s10, [$d4]
    mad_u32 $s9, $s10, 7, $s9
    MORE
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s9, [$d1]
@done:
    ret
}
"""
PLACES = {
    "none": "",
    "the place": "add_u32 $s9, $s9, $s0",
    "low bits": "and_u32 $s10, $s0, 15\n mad_u32 $s9, $s10, 11, $s9",
    "high bits": "shr_u32 $s10, $s0, 5\n mad_u32 $s9, $s10, 11, $s9",
    "bits of a clamped place": "min_u32 $s10, $s0, 900\n and_u32 $s10, $s10, 16\n"
    " add_u32 $s9, $s9, $s10",
    "memory of its own": "and_u32 $s10, $s9, 12\n st_private_u32 $s9, [own+$s10]\n"
    " ld_private_u32 $s10, [own+4]\n add_u32 $s9, $s9, $s10",
}


def check(wide: int, left: int = 1, right: int = 1, more: str = "") -> None:
    """Compare with the oracle, for rows with as many work-items that return at their ends."""
    high, deep = 4, 2
    text = GRID.replace("LEFT", str(left)).replace("RIGHT", str(right)).replace("MORE", more)
    x = np.random.default_rng(wide).integers(0, 1 << 32, wide * high * deep, np.uint32)
    sizes = [np.uint32(n) for n in (wide, high, deep)]
    ours, expected = (
        make(
            text,
            [*sizes, x.copy(), np.zeros_like(x)],
            items=(wide, high, deep),
            group_size=(32, 2, 1),
        )
        for _ in range(2)
    )
    assert not assert_as_oracle(ours, expected)


@pytest.mark.parametrize(
    ("wide", "left", "right"), [(66, 1, 1), (67, 1, 1), (99, 3, 0), (130, 17, 2), (1030, 5, 1)]
)
def test_rows_with_borders(wide: int, left: int, right: int) -> None:
    check(wide, left, right)


@pytest.mark.parametrize("more", PLACES)
def test_what_is_known_of_aligned_warps(more: str) -> None:
    check(100, more=PLACES[more])


@pytest.mark.parametrize("more", ["none", "memory of its own"])
def test_rows_end_where_the_grid_does(more: str) -> None:
    check(99, right=-64, more=PLACES[more])


@pytest.mark.parametrize("more", PLACES)
def test_warps_begin_anywhere_unless_bits_of_a_place_are_read(more: str) -> None:
    text = GRID.replace("LEFT", "1").replace("RIGHT", "1").replace("MORE", PLACES[more])
    kernel = assemble(text).kernels[0]
    shapes = analyse(kernel).shapes(Facts(32, (128, 1, 1), whole=False))
    assert may_begin_anywhere(shapes) == (more in ("none", "the place", "bits of a clamped place"))
