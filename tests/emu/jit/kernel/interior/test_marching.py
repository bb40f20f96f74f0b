"""Workgroups that are one warp and march through planes or tiles: interior ones test nothing."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.lanes.marching import marches
from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

PLANES = """
kernel k(u32 %wide, u32 %deep, global u32* %x, global u32* %y) {{
    .group u32 tile[{size}]
    workitemid_u32      $s0, 0
    workitemabsid_u32   $s1, 0
    workitemabsid_u32   $s2, 1
    workitemid_u32      $s3, 1
    ld_kernarg_u32      $s4, [%wide]
    ld_kernarg_u32      $s5, [%deep]
    mad_u32             $s6, $s2, $s4, $s1
    cvt_u64_u32         $d0, $s6
    ld_kernarg_u64      $d1, [%x]
    mad_u64             $d1, $d0, 4, $d1
    ld_kernarg_u64      $d2, [%y]
    mad_u64             $d2, $d0, 4, $d2
    mul_u32             $s7, $s4, {high}
    cvt_u64_u32         $d3, $s7
    shl_u64             $d3, $d3, 2             // bytes of a plane
    mad_u32             $s8, $s3, {across}, $s0
    shl_u32             $s8, $s8, 2             // offset of tile[y][x]
    mov_u32             $s9, {first}
@plane:
    ld_global_u32       $s10, [$d1]
    {guard}
    cbr                 $c0, @stored
    ld_global_u32       $s11, [$d1+4]
    add_u32             $s10, $s10, $s11
@stored:
    st_group_u32        $s10, [tile+$s8]
    barrier
    xor_u32             $s12, $s8, 4
    ld_group_u32        $s11, [tile+$s12]
    ld_global_u32       $s13, [$d1]
    ld_global_u32       $s14, [$d2]
    mad_u32             $s11, $s11, 3, $s13
    add_u32             $s11, $s11, $s14
    st_global_u32       $s11, [$d2]
    barrier
    add_u64             $d1, $d1, $d3
    add_u64             $d2, $d2, $d3
    add_u32             $s9, $s9, 1
    cmp_lt_u32          $c0, $s9, $s5
    cbr                 $c0, @plane
    ret
}}
"""

TILES = """
kernel k(u32 %n, u32 %deep, global u32* %a, global u32* %b, global u32* %c, global u32* %d,
         global u32* %e) {{
    .group u32 as[{size}]
    .group u32 bs[{size}]
    workitemid_u32      $s0, 0
    workitemid_u32      $s1, 1
    workitemabsid_u32   $s2, 0
    workitemabsid_u32   $s3, 1
    ld_kernarg_u32      $s4, [%n]
    ld_kernarg_u32      $s5, [%deep]
    ld_kernarg_u64      $d0, [%a]
    ld_kernarg_u64      $d1, [%b]
    mad_u32             $s6, $s1, {across}, $s0
    shl_u32             $s6, $s6, 2
    mul_u32             $s7, $s1, {row}
    shl_u32             $s8, $s0, 2
    mov_u32             $s9, 0
    mov_u32             $s10, {first}
@tile:
    mad_u32             $s11, $s3, $s5, $s10
    add_u32             $s11, $s11, $s0
    cvt_u64_u32         $d2, $s11
    ld_kernarg_u64      $d4, [%d]
    mad_u64             $d4, $d2, 4, $d4
    mad_u64             $d2, $d2, 4, $d0
    ld_global_u32       $s12, [$d2]
    ld_global_u32       $s13, [$d4]
    add_u32             $s12, $s12, $s13
    st_group_u32        $s12, [as+$s6]
    add_u32             $s11, $s10, $s1
    mad_u32             $s11, $s11, $s4, $s2
    cvt_u64_u32         $d2, $s11
    ld_kernarg_u64      $d4, [%e]
    mad_u64             $d4, $d2, 4, $d4
    mad_u64             $d2, $d2, 4, $d1
    ld_global_u32       $s12, [$d2]
    ld_global_u32       $s13, [$d4]
    xor_u32             $s13, $s12, $s13
    st_group_u32        $s13, [bs+$s6]
    barrier
    mov_u32             $s14, 0
    mov_u32             $s15, $s7
    mov_u32             $s16, $s8
@product:
    ld_group_u32        $s17, [as+$s15]
    ld_group_u32        $s18, [bs+$s16]
    mad_u32             $s9, $s17, $s18, $s9
    add_u32             $s15, $s15, 4
    add_u32             $s16, $s16, {row}
    add_u32             $s14, $s14, 1
    cmp_lt_u32          $c0, $s14, {across}
    cbr                 $c0, @product
    barrier
    add_u32             $s10, $s10, {across}
    cmp_lt_u32          $c0, $s10, $s5
    cbr                 $c0, @tile
    ld_kernarg_u64      $d3, [%c]
    mad_u32             $s11, $s3, $s4, $s2
    cvt_u64_u32         $d2, $s11
    mad_u64             $d3, $d2, 4, $d3
    st_global_u32       $s9, [$d3]
    ret
}}
"""

EDGE = "cmp_eq_u32 $c0, $s0, 0"
"""The first work-item of a row loads nothing more."""

GUARDS = {
    "argument": "sub_u32 $s20, $s4, 1\n cmp_ge_u32 $c0, $s1, $s20",
    "data": "cmp_eq_u32 $c0, $s10, 3",
    "plane": "add_u32 $s20, $s9, 1\n cmp_ge_u32 $c0, $s20, $s5",
}


def planes(
    deep: int,
    *,
    group: tuple[int, int] = (32, 8),
    short: int = 0,
    guard: str = EDGE,
    first: int = 0,
    width: int = 32,
) -> Work:
    """Planes of two workgroups, four of them and a word, but for `short` words of x."""
    across, down = group
    wide, high = 2 * across, 2 * down
    x = np.arange(1, wide * high * 4 + 2 - short, dtype=np.uint32)
    y = np.zeros(wide * high * 4, np.uint32)
    text = PLANES.format(size=across * down, high=high, across=across, guard=guard, first=first)
    return make(text, [wide, deep, x, y], items=(wide, high), group_size=group, width=width)


def tiles(
    deep: int, *, across: int = 8, room: tuple[int, int] = (0, 0), width: int = 32, first: int = 0
) -> Work:
    """Matrices of `deep` columns and rows from `first` on; `room` is how many words follow them."""
    n = 2 * across
    size = n * deep
    sizes = (size + room[0], size + room[1], n * n, size + 1000, size + 1000)
    arrays = [np.arange(1, size + 1, dtype=np.uint32) * 7919 for size in sizes]
    text = TILES.format(size=across * across, across=across, row=4 * across, first=first)
    group = (across, across)
    return make(text, [n, deep, *arrays], items=(n, n), group_size=group, width=width)


def has_interior(work: Work) -> bool:
    facts = facts_of(work.kernel, work.geometry)
    assert facts.one_warp
    return "\ninterior:" in generate(work.kernel, 0, facts)


def march(work: Work) -> bool:
    facts = facts_of(work.kernel, work.geometry)
    return marches(analyse(work.kernel).shapes(facts), facts)


@pytest.mark.parametrize("group", [(32, 8), (16, 4), (64, 2)])
@pytest.mark.parametrize("width", [1, 16, 32, 64])
def test_planes_have_interior_workgroups(width: int, group: tuple[int, int]) -> None:
    works = [planes(4, width=width, group=group) for _ in "ab"]
    assert has_interior(works[0])
    assert not assert_as_oracle(*works)


@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize("deep", [0, 1, 2, 3, 5, 1 << 31, 0xFFFFFFFF])
def test_any_number_of_planes(deep: int, first: int) -> None:
    """With none, the loop runs once; four planes are there."""
    works = [planes(deep, first=first) for _ in "ab"]
    assert assert_as_oracle(*works) == (deep - first > 4)


@pytest.mark.parametrize("short", [-5, 1, 2, 40, 1500])
def test_the_last_places(short: int) -> None:
    """The word after the last plane is loaded as well."""
    works = [planes(4, short=short) for _ in "ab"]
    assert assert_as_oracle(*works) == (short > 0)


@pytest.mark.parametrize("guard", GUARDS)
def test_what_else_decides_is_no_march(guard: str) -> None:
    """Accesses that are left out may be outside in each workgroup."""
    assert march(planes(4))
    works = [planes(4, guard=GUARDS[guard], short=1) for _ in "ab"]
    assert not march(works[0])
    assert assert_as_oracle(*works) == (guard == "data")


@pytest.mark.parametrize("across", [8, 16])
@pytest.mark.parametrize("width", [1, 16, 32, 64])
def test_tiles_have_interior_workgroups(width: int, across: int) -> None:
    works = [tiles(3 * across, across=across, width=width) for _ in "ab"]
    assert has_interior(works[0])
    assert not assert_as_oracle(*works)


@pytest.mark.parametrize("room", [(0, 0), (8, 200), (-1, 0), (0, -1), (3, 16)])
@pytest.mark.parametrize("deep", [24, 20, 17, 8, 3, 0])
@pytest.mark.parametrize("first", [0, 4])
def test_steps_that_do_not_lead_to_the_end(deep: int, room: tuple[int, int], first: int) -> None:
    """The last tile has rows and columns beyond the matrices: they trap if nothing is there."""
    works = [tiles(deep, room=room, first=first) for _ in "ab"]
    enough = first + max(-(-(deep - first) // 8), 1) * 8 - deep
    assert assert_as_oracle(*works) == (room[0] < enough or room[1] < 16 * enough)
