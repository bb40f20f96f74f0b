"""Counts of code whose warps are several of the launch, and of the version for interior warps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.counts import both
from ....support.word_search import SEARCH

SUM = """
kernel sum(global u32* %x) {
    .group u32 cells[256]
    workitemid_u32      $s0, 0
    workitemflatabsid_u32 $s1
    cvt_u64_u32         $d0, $s1
    ld_kernarg_u64      $d1, [%x]
    mad_u64             $d1, $d0, 4, $d1
    ld_global_u32       $s2, [$d1]
    and_u32             $s3, $s2, 1
    cmp_eq_u32          $c0, $s3, 0
    cbr                 $c0, @even
    mul_u32             $s2, $s2, 3
@even:
    shl_u32             $s4, $s0, 2
    st_group_u32        $s2, [cells+$s4]
    mov_u32             $s5, 128
@step:
    barrier
    cmp_ge_u32          $c0, $s0, $s5
    cbr                 $c0, @wait
    add_u32             $s6, $s0, $s5
    shl_u32             $s6, $s6, 2
    ld_group_u32        $s7, [cells+$s6]
    ld_group_u32        $s8, [cells+$s4]
    add_u32             $s8, $s8, $s7
    st_group_u32        $s8, [cells+$s4]
@wait:
    shr_u32             $s5, $s5, 1
    cmp_ne_u32          $c0, $s5, 0
    cbr                 $c0, @step
    cmp_ne_u32          $c0, $s0, 0
    cbr                 $c0, @done
    ld_group_u32        $s8, [cells+$s4]
    st_global_u32       $s8, [$d1]
@done:
    ret
}
"""

SUM_BY_PLACE = SUM.replace("and_u32             $s3, $s2, 1", "and_u32             $s3, $s0, 1")

SMOOTH = """
kernel smooth(u32 %w, u32 %h, global f32* %x, global f32* %y) {
    workitemabsid_u32   $s0, 0
    workitemabsid_u32   $s1, 1
    ld_kernarg_u32      $s2, [%w]
    ld_kernarg_u32      $s3, [%h]
    cmp_ge_u32          $c0, $s0, $s2
    cbr                 $c0, @done
    cmp_ge_u32          $c0, $s1, $s3
    cbr                 $c0, @done
    mad_u32             $s4, $s1, $s2, $s0
    cvt_u64_u32         $d0, $s4
    ld_kernarg_u64      $d1, [%x]
    mad_u64             $d1, $d0, 4, $d1
    ld_kernarg_u64      $d2, [%y]
    mad_u64             $d2, $d0, 4, $d2
    ld_global_f32       $s5, [$d1]
    cmp_eq_u32          $c0, $s0, 0
    cbr                 $c0, @store
    sub_u32             $s6, $s2, 1
    cmp_eq_u32          $c0, $s0, $s6
    cbr                 $c0, @store
    ld_global_f32       $s7, [$d1-4]
    ld_global_f32       $s8, [$d1+4]
    add_f32             $s7, $s7, $s8
    cmp_lt_f32          $c0, $s7, 1.0
    cbr                 $c0, @store
    add_f32             $s5, $s5, $s7
@store:
    st_global_f32       $s5, [$d2]
@done:
    ret
}
"""


def count(text: str, args: tuple[Any, ...], items: Any, group: Any, warp: int) -> tuple[int, int]:
    """Compare counts with the interpreter's; return the width of native warps, and of counted."""
    (kernel,) = simtlab.assemble(text)
    launch = kernel.launch(items=items, group_size=group, warp=warp)
    native, *_ = both(launch, args)
    assert native.engine == "jit"
    facts = facts_for_counting(kernel.kernel, Geometry.of(None, group, items=items, width=warp))
    return facts.width, facts.counts


@pytest.mark.parametrize("warp", [8, 16, 32, 64])
@pytest.mark.parametrize("items", [512, 450])
def test_lanes_that_leave_a_loop_at_different_times(items: int, warp: int) -> None:
    text = np.random.default_rng(2).integers(97, 99, 600).astype(np.uint8)
    args = items - 5, 9, text, text[40:50].copy(), np.zeros(600, np.uint8)
    width, counted = count(SEARCH, args, items, 256, warp)
    # Without AVX-512, warps of the launch's width take the loop as well.
    assert width > counted or warp == 64 or not host_has("avx512f")
    assert counted == warp


@pytest.mark.parametrize("warp", [8, 32, 64])
def test_a_workgroup_that_is_one_warp(warp: int) -> None:
    x = np.random.default_rng(4).integers(0, 99, 1024).astype(np.uint32)
    assert count(SUM_BY_PLACE, (x,), 1024, 256, warp) == (256, warp)
    # Places by a counter of rounds need no watching.
    assert count(SUM, (x,), 1024, 256, warp) == (256, warp)
    # A launch's number decides: accesses are watched, and so many lanes are not watched together.
    text = SUM.replace("%x)", "%x, u32 %from)", 1)
    text = text.replace("mov_u32             $s5, 128", "ld_kernarg_u32 $s5, [%from]")
    assert count(text, (x, 128), 1024, 256, warp) == (warp, warp)


@pytest.mark.parametrize("warp", [4, 7, 16])
def test_warps_that_are_not_run_together(warp: int) -> None:
    x = np.random.default_rng(4).integers(0, 99, 512).astype(np.uint32)
    _, counted = count(SUM, (x,), 512, 256, warp)
    assert counted == warp


@pytest.mark.parametrize("warp", [16, 32])
@pytest.mark.parametrize("width", [256, 250, 33])
def test_interior_warps(width: int, warp: int) -> None:
    x = np.random.default_rng(5).random((9, width)).astype(np.float32)
    items = -(-width // 64) * 64, 9
    count(SMOOTH, (width, 9, x, np.zeros_like(x)), items, (64, 1), warp)


PLACES = """
kernel places(global u32* %x) {
    workitemflatid_u32  $s0
    barrier
    workitemflatabsid_u32 $s1
    cvt_u64_u32         $d0, $s1
    ld_kernarg_u64      $d1, [%x]
    mad_u64             $d1, $d0, 4, $d1
    cmp_lt_u32          $c0, $s0, 77
    cbr                 $c0, @store
    add_u32             $s0, $s0, 5
@store:
    barrier
    st_global_u32       $s0, [$d1]
    ret
}
"""


@pytest.mark.parametrize("size", [512, 1024])
@pytest.mark.parametrize("warp", [8, 16])
def test_as_many_warps_as_a_number_has_bits_and_more(size: int, warp: int) -> None:
    # How many of 64 flags are set needs no cast, and that of 128 a narrower number.
    args = (np.zeros(2 * size, np.uint32),)
    assert count(PLACES, args, 2 * size, size, warp) == (size, warp)


ROWS = """
kernel rows(global u32* %start, global u32* %column, global u32* %x, global u32* %y) {
    .group u32 t[64]
    workitemid_u32 $s1, 0
    workitemabsid_u32 $s0, 0
    shl_u32 $s9, $s1, 2
    st_group_u32 $s0, [t+$s9]
    barrier
    xor_u32 $s9, $s9, 4
    ld_group_u32 $s10, [t+$s9]
    cvt_u64_u32 $d1, $s0
    ld_kernarg_u64 $d0, [%start]
    mad_u64 $d0, $d1, 4, $d0
    ld_global_u32 $s2, [$d0]
    ld_global_u32 $s3, [$d0+4]
    ld_kernarg_u64 $d2, [%column]
    ld_kernarg_u64 $d3, [%x]
    and_u32 $s4, $s2, 1
    cmp_eq_u32 $c0, $s4, 1
    cbr $c0, @done
@next:
    cmp_ge_u32 $c0, $s2, $s3
    cbr $c0, @done
    cvt_u64_u32 $d4, $s2
    mad_u64 $d4, $d4, 4, $d2
    ld_global_u32 $s5, [$d4]
    cvt_u64_u32 $d4, $s5
    mad_u64 $d4, $d4, 4, $d3
    ld_global_u32 $s6, [$d4]
    add_u32 $s10, $s10, $s6
    add_u32 $s2, $s2, 1
    br @next
@done:
    ld_kernarg_u64 $d6, [%y]
    mad_u64 $d6, $d1, 4, $d6
    st_global_u32 $s10, [$d6]
    ret
}
"""
"""Loops that lanes may run alone, in workgroups that are one warp."""


def test_a_workgroup_that_is_one_warp_is_not_cut() -> None:
    numbers = np.random.default_rng(1)
    start = np.concatenate([[0], np.cumsum(numbers.integers(0, 9, 128))]).astype(np.uint32)
    column = numbers.integers(0, 100, start[-1]).astype(np.uint32)
    args = start, column, np.arange(100, dtype=np.uint32), np.zeros(128, np.uint32)
    count(ROWS, args, 128, 64, 32)
