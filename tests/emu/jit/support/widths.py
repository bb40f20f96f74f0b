"""Bodies of kernels whose best width is asked for, and the width."""

from __future__ import annotations

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.width import USUAL, best_facts

from ...support.flows import kernel_of

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
CHASED = """
    cvt_u64_u32 $d3, $s4
    mad_u64 $d3, $d3, 4, $d1
    ld_global_u32 $s4, [$d3]"""
ROW = """
    mad_u32 $s5, $s0, 100, $s2
    cvt_u64_u32 $d3, $s5
    mad_u64 $d3, $d3, 4, $d1
    ld_global_u32 $s3, [$d3]
    add_u32 $s4, $s4, $s3"""
SCATTERED = """
    cvt_u64_u32 $d3, $s4
    mad_u64 $d3, $d3, 4, $d1
    st_global_u32 $s2, [$d3]"""
OWN_WAY = "cmp_gt_u32 $c0, $s4, $s2\n cbr $c0, @out"
STRAIGHT = START.replace("@top:", "")
STORE = "\nst_global_u32 $s4, [$d2]\n"

LINE = Facts(USUAL, (128, 1, 1), True)


def width_of(body: str, facts: Facts = LINE, *, many: bool = False) -> int:
    return best_facts(kernel_of(body), facts, True, lambda: many).width
