"""Loops over triangles in workgroups with barriers: narrow warps, with the oracle's results."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.widths.width import FEW
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ...support.agreement import same

PARAMS = "u32 %rounds, u32 %limit, global f32* %x, global f32* %y, global u32* %which"
PAIRS = """
    .group f32 x[ITEMS]
    .group f32 y[ITEMS]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    ld_kernarg_u32 $s20, [%rounds]
    ld_kernarg_u32 $s21, [%limit]
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_f32 $s2, [$d1]
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    ld_global_f32 $s3, [$d2]
    shl_u32 $s4, $s0, 2
    mov_u32 $s5, 0
@round:
    st_group_f32 $s2, [x+$s4]
    st_group_f32 $s3, [y+$s4]
    barrier
    mov_u32 $s6, 0
    mov_u32 $s7, 0
    FIRST
@pair:
    TEST
    cbr $c0, @paired
    shl_u32 $s9, $s8, 2
    ld_group_f32 $s10, [x+$s9]
    ld_group_f32 $s11, [y+$s9]
    sub_f32 $s10, $s10, $s2
    sub_f32 $s11, $s11, $s3
    mul_f32 $s10, $s10, $s10
    fma_f32 $s10, $s11, $s11, $s10
    sqrt_f32 $s10, $s10
    add_f32 $s10, $s10, 1.0
    cmp_gt_f32 $c1, $s10, $s6
    cbr $c1, @more
    br @next
@more:
    mov_u32 $s6, $s10
    mov_u32 $s7, $s8
@next:
    add_u32 $s8, $s8, STEP
    br @pair
@paired:
    barrier
    fma_f32 $s2, $s6, 0.25, $s2
    add_u32 $s5, $s5, 1
    cmp_lt_u32 $c0, $s5, $s20
    cbr $c0, @round
    st_global_f32 $s2, [$d1]
    ld_kernarg_u64 $d3, [%which]
    mad_u64 $d3, $d0, 4, $d3
    st_global_u32 $s7, [$d3]
    ret
"""
LATER = {"FIRST": "add_u32 $s8, $s0, 1", "TEST": "cmp_ge_u32 $c0, $s8, ITEMS", "STEP": "1"}
BEFORE = {"FIRST": "mov_u32 $s8, 0", "TEST": "cmp_ge_u32 $c0, $s8, $s0", "STEP": "1"}
DOWN = {"FIRST": "mov_u32 $s8, $s0", "TEST": "cmp_lt_s32 $c0, $s8, 0", "STEP": "-1"}
HALVES = {"FIRST": "shl_u32 $s8, $s0, 1", "TEST": "cmp_gt_s32 $c0, $s8, (ITEMS - 1)", "STEP": "2"}
STRIDES = {"FIRST": "mov_u32 $s8, $s0", "TEST": "cmp_ge_u32 $c0, $s8, ITEMS", "STEP": "ITEMS"}
ALIKE = {"FIRST": "mov_u32 $s8, 0", "TEST": "cmp_ge_u32 $c0, $s8, ITEMS", "STEP": "1"}
ARGUMENT = {"FIRST": "add_u32 $s8, $s0, 1", "TEST": "cmp_ge_u32 $c0, $s8, $s21", "STEP": "1"}


def text_of(words: dict[str, str], items: int) -> str:
    text = f"kernel k({PARAMS}) {{{PAIRS}}}\n"
    for name, word in words.items():
        text = text.replace(name, word)
    return text.replace("ITEMS", str(items))


def width_of(text: str, items: int) -> int:
    (kernel,) = assemble(text).kernels
    return facts_of(kernel, Geometry.of(items=(8 * items,), group_size=(items,))).width


@pytest.mark.parametrize("words", [LATER, BEFORE, DOWN, HALVES])
def test_iterations_that_grow_from_lane_to_lane_give_warps_few_lanes(words: dict[str, str]) -> None:
    assert width_of(text_of(words, 64), 64) == FEW


@pytest.mark.parametrize("words", [STRIDES, ALIKE, ARGUMENT])
def test_other_loops_do_not(words: dict[str, str]) -> None:
    assert width_of(text_of(words, 64), 64) > FEW


def test_nor_does_a_triangle_of_which_warps_have_a_small_part() -> None:
    assert width_of(text_of(LATER, 512), 512) > FEW


def test_nor_a_short_one_beside_other_work() -> None:
    work = "\n".join(["fma_f32 $s3, $s3, 0.5, $s2"] * 700)
    text = text_of(LATER, 64).replace("@paired:\n", f"@paired:\n{work}\n")
    assert width_of(text, 64) > FEW


@pytest.mark.parametrize("items", [32, 48, 64, 256])
@pytest.mark.parametrize("words", [LATER, BEFORE, DOWN, HALVES, STRIDES, ALIKE, ARGUMENT])
def test_results_are_the_oracles(words: dict[str, str], items: int) -> None:
    rng = np.random.default_rng(items)
    n = 3 * items
    x, y = rng.random((2, n)).astype(np.float32)
    args = [2, items, x, y, np.zeros(n, np.uint32)]
    same(text_of(words, items), args, items=n, group_size=items)
