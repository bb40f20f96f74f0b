"""Warps that take turns at barriers which all work-items reach together, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.one_warp import one_warp_facts
from simtlab.emu.analysis.widths.width import USUAL, best_facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.isa.program import Kernel

from ....support.flows import kernel_of
from ...support.agreement import same

PARAMS = "u32 %n, global u32* %x, global u32* %y"
HEAD = """
    .group u32 tile[2048]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemflatid_u32 $s2
    workgroupid_u32 $s3, 0
    ld_kernarg_u32 $s4, [%n]
    mad_u32 $s5, $s3, ITEMS, $s2
    cvt_u64_u32 $d0, $s5
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s6, [$d1]
    shl_u32 $s7, $s2, 2
"""
TAIL = """
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s6, [$d2]
"""
TURNS = """
    mov_u32 $s8, 0
@again:
    st_group_u32 $s6, [tile+$s7]
    barrier
    sub_u32 $s9, (ITEMS - 1), $s2
    shl_u32 $s9, $s9, 2
    ld_group_u32 $s10, [tile+$s9]
    barrier
    mad_u32 $s6, $s6, 5, $s10
    add_u32 $s8, $s8, 1
    cmp_lt_u32 $c0, $s8, $s4
    cbr $c0, @again
"""
SIDES = """
    st_group_u32 $s6, [tile+$s7]
    cmp_ne_u32 $c0, $s0, 0
    cbr $c0, @inner
    st_group_u32 $s7, [tile+$s7+4096]
@inner:
    barrier
    xor_u32 $s9, $s7, 4
    ld_group_u32 $s10, [tile+$s9]
    ld_group_u32 $s11, [tile+$s9+4096]
    mad_u32 $s6, $s10, 7, $s11
    barrier
    cmp_ge_u32 $c0, $s6, $s4
    cbr $c0, @large
    add_u32 $s6, $s6, 1
@large:
"""
CHOICE = """
    cmp_lt_u32 $c0, $s4, 3
    cbr $c0, @few
    st_group_u32 $s6, [tile+$s7]
    barrier
    ld_group_u32 $s6, [tile+0]
    br @out
@few:
    st_group_u32 $s6, [tile+$s7+64]
    barrier
    ld_group_u32 $s6, [tile+68]
@out:
"""
COPIES = """
    .private u32 mine[8]
    mov_u32 $s10, $s2
    mov_u32 $s8, 0
@copied:
    ld_private_u32 $s11, [mine+$s8]
    mad_u32 $s10, $s10, 5, $s11
    add_u32 $s8, $s8, 4
    cmp_lt_u32 $c0, $s8, 32
    cbr $c0, @copied
    barrier
    mad_u32 $s6, $s10, $s10, $s6
"""
"""What a warp computes again after the barrier is the copies of one instruction, in their order."""
GROUPS = [(128, 1, 1), (32, 8, 1), (32, 32, 1), (16, 8, 1)]


def kernel(middle: str, group: tuple[int, int, int]) -> Kernel:
    items = group[0] * group[1] * group[2]
    return kernel_of((HEAD + middle + TAIL).replace("ITEMS", str(items)), PARAMS)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("middle", [TURNS, SIDES, CHOICE, COPIES])
def test_rounds(middle: str, group: tuple[int, int, int]) -> None:
    items = group[0] * group[1] * group[2]
    body = (HEAD + middle + TAIL).replace("ITEMS", str(items))
    text = f"kernel k({PARAMS}) {{{body} ret\n}}\n"
    x = np.arange(3 * items, dtype=np.uint32) * 2654435761
    for n in (1, 2, 5):
        grid = (3 * group[0], *group[1:])
        same(text, [n, x, np.zeros_like(x)], items=grid, group_size=group)


def test_nothing_is_asked_of_warps_that_arrive_together() -> None:
    group = (32, 8, 1)
    ir = generate(kernel(TURNS, group), 0, Facts(32, group, whole=True))
    assert "round_divergent" not in ir
    assert "ctpop" not in ir
    partial = generate(kernel(TURNS, group), 0, Facts(32, group, whole=False))
    assert "round_divergent" in partial
    apart = CHOICE.replace("$s4, 3", "$s1, 3")
    assert "round_divergent" in generate(kernel(apart, group), 0, Facts(32, group, whole=True))


def test_group_memory_that_is_stored_first_is_not_set_to_zero() -> None:
    group = (64, 2, 1)
    ir = generate(kernel(TURNS, group), 0, Facts(64, group, whole=True))
    zeros = [line for line in ir.splitlines() if "call void @llvm.memset" in line]
    assert sum("i64 7680," in line for line in zeros) == 1
    # All of it once in a call, before the loop over workgroups.
    before, _, groups = ir.partition("group_head:")
    assert "i64 8192," in before
    assert "i64 8192," not in groups


LOOP = """
    st_group_u32 $s6, [tile+$s7]
    barrier
    mov_u32 $s8, 0
@again:
    add_u32 $s9, $s7, $s8
    ld_group_u32 $s10, [tile+$s9]
    mad_u32 $s6, $s6, 5, $s10
    add_u32 $s8, $s8, 4
    cmp_lt_u32 $c0, $s8, 36
    cbr $c0, @again
"""


def test_loops_between_barriers_are_of_warps_of_64() -> None:
    facts = Facts(USUAL, (256, 1, 1), whole=True)
    assert one_warp_facts(kernel(LOOP, (256, 1, 1)), facts) is None
    assert best_facts(kernel(LOOP, (256, 1, 1)), facts, True).width == 64
    guarded = LOOP.replace("@again:", "@again:\n cmp_lt_u32 $c1, $s2, $s8\n cbr $c1, @next")
    guarded = guarded.replace("add_u32 $s8, $s8, 4", "@next:\n add_u32 $s8, $s8, 4")
    assert one_warp_facts(kernel(guarded, (256, 1, 1)), facts) is not None
    turns = one_warp_facts(kernel(TURNS, (256, 1, 1)), facts)
    assert turns is not None


PRODUCT = """
    mov_u32 $s8, 0
@tile:
    st_group_u32 $s6, [tile+$s7]
    barrier
    mov_u32 $s9, 0
@product:
    mad_u32 $s10, $s1, 32, $s9
    shl_u32 $s10, $s10, 2
    ld_group_u32 $s11, [tile+$s10]
    mad_u32 $s10, $s9, 32, $s0
    shl_u32 $s10, $s10, 2
    ld_group_u32 $s12, [tile+$s10]
    mad_u32 $s6, $s11, $s12, $s6
    add_u32 $s9, $s9, 1
    cmp_lt_u32 $c0, $s9, 32
    cbr $c0, @product
    barrier
    add_u32 $s8, $s8, 1
    cmp_lt_u32 $c0, $s8, $s4
    cbr $c0, @tile
"""


def test_two_rows_of_a_tile_are_a_warp() -> None:
    group = (32, 32, 1)
    facts = Facts(USUAL, group, whole=True)
    assert one_warp_facts(kernel(PRODUCT, group), facts) is None
    assert best_facts(kernel(PRODUCT, group), facts, True).width == 64
    assert best_facts(kernel(CHOICE, group), facts, True).width == USUAL
    test_rounds(PRODUCT, group)
