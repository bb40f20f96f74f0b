"""Columns of planes whose neighbours are clamped before the loop, in interior warps."""

from __future__ import annotations

import re

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.widths.width import USUAL, WIDE
from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

TEXT = """
kernel k(u32 %wide, u32 %high, u32 %deep, u32 %plane, u32 %last, global u32* %x, global u32* %y) {{
    workitemabsid_u32   $s0, 0
    workitemabsid_u32   $s1, 1
    ld_kernarg_u32      $s2, [%wide]
    ld_kernarg_u32      $s3, [%high]
    ld_kernarg_u32      $s4, [%deep]
    ld_kernarg_u32      $s5, [%plane]
    ld_kernarg_u32      $s6, [%last]
    cmp_ge_u32          $c0, $s0, $s2
    cbr                 $c0, @done
    cmp_ge_u32          $c0, $s1, $s3
    cbr                 $c0, @done
    ld_kernarg_u64      $d1, [%x]
    ld_kernarg_u64      $d2, [%y]
    mad_u32             $s11, $s1, $s2, $s0
    sub_u32             $s12, $s11, 1
    cmp_eq_u32          $c0, $s0, 0
    select_u32          $s12, $c0, $s11, $s12   // west
    add_u32             $s13, $s11, 1
    sub_u32             $s14, $s2, 1
    cmp_eq_u32          $c0, $s0, $s14
    select_u32          $s13, $c0, $s11, $s13   // east
    sub_u32             $s14, $s11, $s2
    cmp_eq_u32          $c0, $s1, 0
    select_u32          $s14, $c0, $s11, $s14   // north
    mov_u32             $s16, $s11              // of the result
    mov_u32             $s18, {first}           // k
@plane:
    mov_u32             $s22, 7                 // below the last plane
    add_u32             $s19, $s11, $s5
    {below}
    cmp_ge_u32          $c0, $s18, $s6
    cbr                 $c0, @last
    cvt_u64_u32         $d3, $s19
    mad_u64             $d3, $d3, 4, $d1
    ld_global_u32       $s22, [$d3]
@last:
    {besides}
    cvt_u64_u32         $d3, $s12
    mad_u64             $d3, $d3, 4, $d1
    ld_global_u32       $s24, [$d3]
    mad_u32             $s22, $s22, 3, $s24
    cvt_u64_u32         $d3, $s13
    mad_u64             $d3, $d3, 4, $d1
    ld_global_u32       $s24, [$d3]
    mad_u32             $s22, $s22, 5, $s24
    cvt_u64_u32         $d3, $s14
    mad_u64             $d3, $d3, 4, $d1
    ld_global_u32       $s24, [$d3]
    mad_u32             $s22, $s22, 7, $s24
    cvt_u64_u32         $d3, $s16
    mad_u64             $d3, $d3, 4, $d2
    st_global_u32       $s22, [$d3]
    add_u32             $s16, $s16, 1000
    add_u32             $s11, $s11, $s5
    add_u32             $s12, $s12, $s5
    add_u32             $s13, $s13, $s5
    add_u32             $s14, $s14, $s5
    add_u32             $s18, $s18, {step}
    cmp_lt_{type}       $c0, $s18, $s4
    cbr                 $c0, @plane
@done:
    ret
}}
"""
HIGH = 5

LIMITED = {
    "min": "min_u32 $s19, $s19, 3700",
    "max": "sub_u32 $s30, 3700, $s19\n max_s32 $s30, $s30, 0\n sub_u32 $s19, 3700, $s30",
    "rem": "rem_u32 $s19, $s19, 3700",
    "div": "div_u32 $s30, $s19, 3700\n mul_u32 $s30, $s30, 3700\n sub_u32 $s19, $s19, $s30",
}
"""What keeps the place below within 3700 words."""


def columns(
    wide: int,
    deep: int,
    *,
    plane: int | None = None,
    last: int | None = None,
    room: tuple[int, int] = (0, 0),
    group: tuple[int, int] = (64, 2),
    width: int = 32,
    first: int = 0,
    step: int = 1,
    type_: str = "u32",
    below: str = "",
    besides: str = "",
) -> Work:
    """Go down the planes of x, from `first` on; `room` is how many words x and y have besides."""
    plane = wide * HIGH if plane is None else plane
    last = deep - 1 if last is None else last
    x = np.arange(1, wide * HIGH * 4 + room[0] + 1, dtype=np.uint32)
    y = np.zeros(wide * HIGH * 4 + room[1], np.uint32)
    numbers = (n & 0xFFFFFFFF for n in (wide, HIGH, deep, plane, last))
    items = tuple(-(-n // g) * g for n, g in zip((wide, HIGH), group, strict=True))
    text = TEXT.format(first=first, step=step, type=type_, below=below, besides=besides)
    return make(text, [*numbers, x, y], items=items, group_size=group, width=width)


def has_interior(work: Work) -> bool:
    code = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    return "\ninterior:" in code or "\nrun_head:" in code


@pytest.mark.parametrize("group", [(64, 2), (128, 1), (32, 4)])
@pytest.mark.parametrize("width", [1, 16, 32, 64])
def test_columns_have_interior_warps(width: int, group: tuple[int, int]) -> None:
    works = [columns(200, 4, group=group, width=width) for _ in "ab"]
    assert has_interior(works[0])
    assert not assert_as_oracle(*works)


@pytest.mark.parametrize("group", [(64, 2), (256, 1)])
def test_they_have_32_lanes(group: tuple[int, int]) -> None:
    """Warps at edges gather: of 64 lanes twice as many lanes of a row would be in such a warp."""
    work = columns(200, 4, group=group)
    assert facts_of(work.kernel, work.geometry).width == USUAL
    text = TEXT.format(first=0, step=1, type="u32", below="", besides="")
    (kernel,) = assemble(re.sub("select_u32 .*", "", text)).kernels
    assert facts_of(kernel, work.geometry).width == WIDE, "neighbours everywhere"


@pytest.mark.parametrize("group", [(64, 2), (128, 1)])
@pytest.mark.parametrize("deep", [0, 1, 2, 3, 5, 1 << 31, 0xFFFFFFFF])
def test_any_number_of_planes(deep: int, group: tuple[int, int]) -> None:
    """With none, the loop runs once; four planes are there."""
    works = [columns(200, deep, group=group) for _ in "ab"]
    assert assert_as_oracle(*works) == (deep > 4)


@pytest.mark.parametrize("group", [(64, 2), (128, 1)])
@pytest.mark.parametrize("room", [(-1, 0), (0, -1), (-70, 0), (-1000, 0), (0, -1000), (9, 9)])
def test_the_last_places(room: tuple[int, int], group: tuple[int, int]) -> None:
    works = [columns(200, 4, room=room, group=group) for _ in "ab"]
    assert assert_as_oracle(*works) == (min(room) < 0)


@pytest.mark.parametrize("group", [(64, 2), (128, 1)])
@pytest.mark.parametrize("last", [4, 3, 2, 0, -1])
def test_the_plane_below_is_guarded(last: int, group: tuple[int, int]) -> None:
    """By a number that may be more than that of the planes."""
    works = [columns(200, 4, last=last, group=group) for _ in "ab"]
    assert assert_as_oracle(*works) == (last in (4, -1))


@pytest.mark.parametrize("group", [(64, 2), (128, 1)])
@pytest.mark.parametrize("limited", LIMITED)
def test_what_is_clamped_in_the_last_plane_alone(limited: str, group: tuple[int, int]) -> None:
    """The guarded access has no clamped place, but others may use what is clamped."""
    besides = "xor_u32 $s22, $s22, $s19"
    works = [columns(200, 4, below=LIMITED[limited], besides=besides, group=group) for _ in "ab"]
    assert has_interior(works[0])
    assert not assert_as_oracle(*works)


@pytest.mark.parametrize("group", [(64, 2), (128, 1)])
@pytest.mark.parametrize("plane", [0, 1, -1, 999, -1000, 1 << 30, 1 << 31, (1 << 30) + 250])
def test_planes_of_any_size(plane: int, group: tuple[int, int]) -> None:
    """The 32-bit index may wrap around: four times 2^30 words are as far as none."""
    for first in (0, 2):
        works = [columns(200, 4, plane=plane, group=group, first=first) for _ in "ab"]
        assert_as_oracle(*works)


@pytest.mark.parametrize(
    ("first", "step", "type_", "deep"),
    [(1, 1, "u32", 4), (0, 2, "u32", 4), (0, 1, "s32", 4), (0, 1, "s32", -3), (3, 1, "s32", 2)],
)
@pytest.mark.parametrize("last", [3, 1])
def test_counters_of_other_kinds(first: int, step: int, type_: str, deep: int, last: int) -> None:
    for group in ((64, 2), (128, 1)):
        works = [
            columns(200, deep, last=last, group=group, first=first, step=step, type_=type_)
            for _ in "ab"
        ]
        assert_as_oracle(*works)
