"""Gathers that take what was stored, beside loads of group memory that do not."""

from __future__ import annotations

import numpy as np
import pytest

from ...support.agreement import same

WAVEFRONT = """
kernel k(u32 %n, global u32* %x, global u32* %y) {{
    .group u32 match[256]
    .group u32 score[289]
    workitemid_u32 $s0, 0
    workgroupid_u32 $s1, 0
    shl_u32 $s2, $s0, 2
    ld_kernarg_u64 $d1, [%x]
    shl_u32 $s3, $s1, 8
    add_u32 $s3, $s3, $s0
    mul_u32 $s4, $s0, 68
    mov_u32 $s5, 0
    st_group_u32 $s0, [score+$s2]
    st_group_u32 $s2, [score+$s4+68]
@fill:
    cvt_u64_u32 $d0, $s3
    mad_u64 $d0, $d0, 4, $d1
    ld_global_u32 $s6, [$d0]
    st_group_u32 $s6, [match+$s2]
    add_u32 $s3, $s3, 16
    add_u32 $s2, $s2, 64
    add_u32 $s5, $s5, 1
    cmp_lt_u32 $c0, $s5, 16
    cbr $c0, @fill
    barrier
    shl_u32 $s2, $s0, 2
    mov_u32 $s5, 0
@step:
    sub_u32 $s7, $s5, $s0
    cmp_ge_u32 $c0, $s7, {rows}
    cbr $c0, @wait
    mad_u32 $s8, $s7, 68, $s2
    ld_group_u32 $s9, [score+$s8+4]
    ld_group_u32 $s10, [score+$s8+68]
    ld_group_u32 $s11, [score+$s8]
    mad_u32 $s12, $s7, 64, $s2
    ld_group_u32 $s12, [match+$s12]
    max_u32 $s9, $s9, $s10
    mad_u32 $s9, $s11, 3, $s9
    add_u32 $s9, $s9, $s12
    st_group_u32 $s9, [score+$s8+72]
@wait:
    barrier
    add_u32 $s5, $s5, 1
    cmp_lt_u32 $c0, $s5, 31
    cbr $c0, @step
    {change}
    mov_u32 $s5, 0
    mov_u32 $s13, 0
@sum:
    ld_group_u32 $s9, [score+$s2+72]
    mad_u32 $s13, $s13, 5, $s9
    add_u32 $s2, $s2, 68
    add_u32 $s5, $s5, 1
    cmp_lt_u32 $c0, $s5, 16
    cbr $c0, @sum
    ld_kernarg_u64 $d1, [%y]
    workitemabsid_u32 $s3, 0
    cvt_u64_u32 $d0, $s3
    mad_u64 $d0, $d0, 4, $d1
    st_global_u32 $s13, [$d0]
    ret
}}
"""


@pytest.mark.parametrize(
    ("rows", "change", "widths"),
    [
        (16, "", (1, 7, 64)),
        (11, "", (32,)),  # rows that no step computes are zero
        (16, "st_group_u32 $s0, [score+$s4+72]\n barrier", (32,)),
    ],
)
def test_a_wavefront(rows: int, change: str, widths: tuple[int, ...]) -> None:
    x = np.random.default_rng(3).integers(0, 1 << 32, 3 * 256, np.uint32)
    text = WAVEFRONT.format(rows=rows, change=change)
    for width in widths:
        args = [3, x, np.zeros(48, np.uint32)]
        same(text, args, items=(48,), group_size=(16,), width=width)
