"""Short loops whose counters decide branches or selects, with a copy for each iteration."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse

from ...support.agreement import same

ITEMS, GROUP = 150, 70

FRAME = """
kernel k(u32 %n, global u32* %x, global u32* %out) {{
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 8, $d1
    ld_kernarg_u32 $s1, [%n]
    mov_u32 $s2, $s0
    mov_u32 $s3, 0
@word:
{choice}
    {access}
    mov_u32 $s5, 0
@turn:
    and_u32 $s6, $s2, 3
    cmp_eq_u32 $c1, $s6, 1
    cbr $c1, @over
    mad_u32 $s2, $s2, 31, $s4
@over:
    xor_u32 $s2, $s2, $s5
    add_u32 $s5, $s5, 1
    cmp_lt_u32 $c0, $s5, {turns}
    cbr $c0, @turn
    add_u32 $s3, $s3, 1
    cmp_lt_u32 $c0, $s3, {words}
    cbr $c0, @word
    ld_kernarg_u64 $d2, [%out]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s2, [$d2]
    ret
}}
"""
BRANCHES = """
    cmp_eq_u32 $c0, $s3, 1
    cbr $c0, @second
    mov_u32 $s4, 77
    cmp_ne_u32 $c0, $s3, 0
    cbr $c0, @mix
    ld_global_u32 $s4, [$d1]
    br @mix
@second:
    ld_global_u32 $s4, [$d1+4]
@mix:"""
CHOICE = """
    cmp_eq_u32 $c0, $s3, 1
    select_u32 $s2, $c0, 5, $s2"""
ACCESS = "ld_global_u32 $s4, [$d1]"
CASES = {
    "both loops": ({}, 0),
    "the outer loop": ({"turns": "$s1"}, 3),
    "the same access in each iteration": ({"access": ACCESS}, 0),
    "many accesses": ({"access": f"{ACCESS}\n{ACCESS}", "words": 8}, 2),
    "a value that is chosen": ({"choice": CHOICE, "access": ACCESS}, 0),
    "a number of iterations that is not known": ({"words": "$s1"}, 2),
    "many iterations": ({"words": 9}, 2),
}


@pytest.mark.parametrize("case", CASES)
def test_copies_of_loops_whose_counters_decide_branches(case: str) -> None:
    changed, loops = CASES[case]
    text = FRAME.format(**{"choice": BRANCHES, "access": "", "turns": 3, "words": 3, **changed})
    assert len(analyse(assemble(text).kernels[0]).flow.loops) == loops
    x = np.random.default_rng(5).integers(0, 1 << 32, 2 * ITEMS, np.uint32)
    for width in (1, 7, 16, 32, 64) if loops in (0, 3) else ():
        arguments = [np.uint32(4), x, np.zeros(ITEMS, np.uint32)]
        same(text, arguments, items=ITEMS, group_size=GROUP, width=width)


SIDES = """
kernel k(u32 %n, global u32* %x, global u32* %out) {{
    .private u32 stack[16]
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 8, $d1
    ld_global_u32 $s2, [$d1]
    mov_u32 $s9, 0
    mov_u32 $s1, 0
@cell:
    and_u32 $s5, $s9, 60
    ld_private_u32 $s8, [stack+$s5]
    xor_u32 $s2, $s2, $s8
    mov_u32 $s3, 0
@side:
    cmp_eq_u32 $c0, $s3, 1
    {other}
    select_u32 $s4, $c0, 5, $s2
    mad_u32 $s2, $s2, 3, $s4
    shr_u32 $s6, $s2, 30
    cmp_eq_u32 $c1, $s6, 0
    cbr $c1, @after
    and_u32 $s5, $s9, 60
    st_private_u32 $s2, [stack+$s5]
    add_u32 $s9, $s9, 4
@after:
    add_u32 $s3, $s3, 1
    cmp_lt_u32 $c0, $s3, {sides}
    cbr $c0, @side
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, 20
    cbr $c0, @cell
    ld_kernarg_u64 $d2, [%out]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s2, [$d2]
    ret
}}
"""


@pytest.mark.parametrize(
    ("sides", "other", "loops"),
    [(4, "", 1), (9, "", 2), (4, "cmp_eq_u32 $c0, $s2, $s9", 2)],
    ids=["sides", "many sides", "a comparison of other numbers"],
)
def test_copies_of_loops_whose_counters_decide_selects(sides: int, other: str, loops: int) -> None:
    text = SIDES.format(sides=sides, other=other)
    assert len(analyse(assemble(text).kernels[0]).flow.loops) == loops
    x = np.random.default_rng(5).integers(0, 1 << 32, 2 * ITEMS, np.uint32)
    for width in (1, 7, 16, 32, 64) if loops == 1 else ():
        arguments = [np.uint32(4), x, np.zeros(ITEMS, np.uint32)]
        same(text, arguments, items=ITEMS, group_size=GROUP, width=width)
