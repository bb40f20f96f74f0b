"""Loops in which work-items share a list, beside loops that each of them runs alone."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.width import USUAL, WIDE, best_facts

from ...support.agreement import same

LISTED = """\
kernel k(u32 %n, f32 %least, global f32* %x, global u32* %sum) {
    .group u32 count[1]
    .group u32 list[512]
    workitemflatid_u32 $s0
    workitemabsid_u32 $s1, 0
    workitemabsid_u32 $s2, 1
    mad_u32 $s1, $s2, WIDTH, $s1
    ld_kernarg_u32 $s3, [%n]
    ld_kernarg_f32 $s4, [%least]
    ld_kernarg_u64 $d0, [%x]
    mov_u32 $s5, FIRST
    mov_u32 $s6, 1
@list:
    cmp_ge_u32 $c0, $s5, $s3
    cbr $c0, @listed
    cvt_u64_u32 $d1, $s5
    mad_u64 $d1, $d1, 4, $d0
    ld_global_f32 $s7, [$d1]
    cmp_lt_f32 $c0, $s7, $s4
    cbr $c0, @next
    atomic_add_group_u32 $s8, [count], $s6
    shl_u32 $s8, $s8, 2
    st_group_u32 $s5, [list+$s8]
@next:
    add_u32 $s5, $s5, STEP
    br @list
@listed:
    barrier
    SUM
    cvt_u64_u32 $d1, $s1
    ld_kernarg_u64 $d2, [%sum]
    mad_u64 $d2, $d1, 4, $d2
    st_global_u32 $s11, [$d2]
    ret
}
"""

SUM = """\
    ld_group_u32 $s9, [count]
    mov_u32 $s10, 0
    mov_u32 $s11, 0
@sum:
    cmp_ge_u32 $c0, $s10, $s9
    cbr $c0, @done
    shl_u32 $s12, $s10, 2
    ld_group_u32 $s12, [list+$s12]
    xor_u32 $s12, $s12, $s1
    mul_u32 $s12, $s12, $s12
    add_u32 $s11, $s11, $s12
    add_u32 $s10, $s10, 1
    br @sum
@done:
"""


def text_of(sum_: str = SUM, first: str = "$s0", step: int = 256, width: int = 32) -> str:
    text = LISTED.replace("SUM", sum_).replace("WIDTH", str(width))
    return text.replace("FIRST", first).replace("STEP", str(step))


TILE = Facts(USUAL, (16, 16, 1), True)


def width_of(text: str) -> int:
    return best_facts(assemble(text).kernels[0], TILE, True).width


def test_a_shared_list_does_not_decide_how_wide_the_sums_are() -> None:
    assert width_of(text_of()) == WIDE


@pytest.mark.parametrize(
    ("first", "step"), [("$s0", 128), ("0", 256), ("$s0", 1)], ids=["half", "together", "each"]
)
def test_other_lists_do(first: str, step: int) -> None:
    assert width_of(text_of(first=first, step=step)) == USUAL


def test_a_shared_list_alone_does() -> None:
    assert width_of(text_of("mov_u32 $s11, 0")) == USUAL


@pytest.mark.parametrize("size", [(16, 16), (64, 4), (32, 8)])
def test_the_sums_are_those_of_the_oracle(size: tuple[int, int]) -> None:
    x = np.random.default_rng(4).random(300).astype(np.float32)
    text = text_of(width=2 * size[0])
    args = [300, np.float32(0.8), x, np.zeros(2 * 256, np.uint32)]
    same(text, args, items=(2 * size[0], size[1]), group_size=size)
