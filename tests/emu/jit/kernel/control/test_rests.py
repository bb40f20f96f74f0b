"""Masks of the lanes that have not gone elsewhere, after conditions one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate

from ...support.agreement import same, trap_alike

BEGIN = """
kernel k(u32 %n, global u32* %x, global u32* %out) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_kernarg_u64 $d2, [%out]
    mad_u64 $d2, $d0, 4, $d2
    ld_global_u32 $s2, [$d1]
    mov_u32 $s3, 0
"""
END = """
    st_global_u32 $s3, [$d2]
@done:
    ret
}
"""
BITS = "and_u32 $s4, $s2, {}\n cmp_eq_u32 $c0, $s4, 0\n cbr $c0, @{}\n"
BOTH = f"""
    {BITS.format(1, "other")} {BITS.format(2, "other")} {BITS.format(4, "other")}
    SIDE
    br @joined
@other:
    REST
@joined:
"""
SIDES = {
    "words": ("add_u32 $s3, $s2, 5", "mul_u32 $s3, $s2, 3"),
    "stores": ("st_global_u32 $s2, [$d1]", "st_global_u32 $s0, [$d1]"),
    "division": ("div_u32 $s3, 1000, $s2", "add_u32 $s4, $s2, 1\n div_u32 $s3, $s4, 3"),
    "return": ("st_global_u32 $s2, [$d2]\n ret", "mov_u32 $s3, 9"),
}
LOOP = f"""
@again:
    {BITS.format(1, "other")} {BITS.format(2, "other")}
    SIDE
    br @joined
@other:
    REST
@joined:
    shr_u32 $s2, $s2, 1
    cmp_gt_u32 $c0, $s2, 7
    cbr $c0, @again
"""
LEAVES = f"""
@again:
    add_u32 $s3, $s3, 1
    shr_u32 $s2, $s2, 1
    {BITS.format(1, "again")} {BITS.format(2, "again")}
    cmp_eq_u32 $c0, $s2, 3
    cbr $c0, @left
    br @again
@left:
"""


def kernel_text(body: str, sides: str) -> str:
    side, rest = SIDES[sides]
    if "ret" in side:
        body = body.replace("br @joined", "")
    return BEGIN + body.replace("SIDE", side).replace("REST", rest) + END


def numbers(items: int) -> np.ndarray:
    return np.random.default_rng(items).integers(0, 1 << 12, items, np.uint32) | np.uint32(3 << 20)


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("body", [BOTH, LOOP])
def test_both_sides_of_several_conditions(body: str, sides: str):
    text = kernel_text(body, sides)
    for items, group in ((1, 64), (70, 64), (200, 7), (320, 256)):
        args = [np.uint32(items - items // 9), numbers(items), np.zeros(items, np.uint32)]
        same(text, args, items=items, group_size=group)


def test_lanes_that_go_round_are_those_that_have_not_left():
    for items in (1, 70, 320):
        args = [np.uint32(items), numbers(items), np.zeros(items, np.uint32)]
        same(BEGIN + LEAVES + END, args, items=items, group_size=64)


def test_lanes_of_the_rest_trap_alike():
    text = kernel_text(BOTH, "words").replace("mul_u32 $s3, $s2, 3", "trap 5")
    args = [np.uint32(100), numbers(100) | np.uint32(7), np.zeros(100, np.uint32)]
    args[1][77] = 3
    trap_alike(text, args, items=100, group_size=64)


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64, 128])
def test_the_rest_is_not_collected(width: int):
    (kernel,) = assemble(kernel_text(BOTH, "words")).kernels
    facts = Facts(width, (128, 1, 1), whole=128 % width == 0, chunk=min(width, 16))
    masks = analyse(kernel).lane_plan(facts).masks
    ((number, rest),) = masks.rests.items()
    assert len(rest.elsewhere) == 1
    assert number not in masks.tested
    generate(kernel, 0, facts)  # no mask is read that nothing sets
