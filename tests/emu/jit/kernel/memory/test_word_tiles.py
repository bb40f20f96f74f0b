"""Group memory of small elements that has a word for each."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.group_memory.words import bytes_of_byte
from simtlab.emu.analysis.ranges.offset_ranges import Ranges
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.isa.program import Kernel

from ...support.agreement import same

GROUPS = [(16, 16), (8, 8), (16, 4), (8, 16), (4, 16), (32, 8)]


def product(type_: str, group: tuple[int, int], *, other: str = "", more: str = "") -> str:
    """A product of two tiles, as many numbers along as a row has, into a sum a work-item.

    Of workgroups with fewer rows than columns, the second tile has rows that are never stored.
    """
    across, down = group
    size = int(type_[1:]) // 8
    return f"""
    .const SIZE = {size}
    kernel k(u32 %n, global u32* %x, global u32* %out) {{
        .group {type_} left[{across * down}]
        .group {type_} right[{across * across}]
        workitemid_u32      $s0, 0
        workitemid_u32      $s1, 1
        workitemabsid_u32   $s2, 0
        workitemabsid_u32   $s3, 1
        mul_u32             $s3, $s3, {across * 2}
        add_u32             $s2, $s2, $s3
        cvt_u64_u32         $d0, $s2
        ld_kernarg_u64      $d1, [%x]
        ld_kernarg_u64      $d2, [%out]
        mad_u64             $d1, $d0, 4, $d1
        mad_u64             $d2, $d0, 4, $d2
        ld_global_u32       $s4, [$d1]
        mul_u32             $s5, $s1, {across}
        add_u32             $s6, $s5, $s0
        mul_u32             $s6, $s6, SIZE
        mul_u32             $s5, $s5, SIZE
        mul_u32             $s13, $s0, SIZE
        mov_u32             $s9, 0
        mov_u32             $s10, 0
    @round:
        add_u32             $s7, $s4, $s10
        st_group_{type_}    $s7, [left+$s6]
        cmp_ge_u32          $c0, $s1, {across}
        cbr                 $c0, @stored
        mul_u32             $s7, $s7, 77
        st_group_{type_}    $s7, [right+$s6]
    @stored:
        barrier
        mov_u32             $s11, $s5
        mov_u32             $s12, $s13
        mov_u32             $s14, 0
    @product:
        ld_group_{type_}    $s15, [left+$s11]
        ld_group_{other or type_} $s16, [right+$s12]
        mad_u32             $s9, $s15, $s16, $s9
        {more}
        add_u32             $s11, $s11, SIZE
        add_u32             $s12, $s12, {across * size}
        add_u32             $s14, $s14, 1
        cmp_lt_u32          $c0, $s14, {across}
        cbr                 $c0, @product
        barrier
        add_u32             $s10, $s10, 1
        ld_kernarg_u32      $s17, [%n]
        cmp_lt_u32          $c0, $s10, $s17
        cbr                 $c0, @round
        st_global_u32       $s9, [$d2]
        ret
    }}"""


def scale_of(text: str, group: tuple[int, int]) -> int:
    (kernel,) = assemble(text).kernels
    assert isinstance(kernel, Kernel)
    facts = facts_of(kernel, Geometry.of(groups=(2, 2), group_size=group))
    shapes = analyse(kernel).shapes(facts)
    return bytes_of_byte(shapes, Ranges(shapes), kernel.group_size)


def agrees(text: str, group: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(group))
    items = 4 * prod(group)
    x = rng.integers(0, 1 << 32, items, np.uint32)
    args = [np.uint32(3), x, np.zeros(items, np.uint32)]
    same(text, args, items=(2 * group[0], 2 * group[1]), group_size=group)


@pytest.mark.parametrize("type_", ["s8", "u8", "s16", "u16"])
def test_elements_of_tiles_have_a_word_each(type_: str):
    assert scale_of(product(type_, (16, 16)), (16, 16)) == 32 // int(type_[1:])


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("type_", ["s8", "u8", "s16", "u16"])
def test_products_of_tiles_are_exact(type_: str, group: tuple[int, int]):
    agrees(product(type_, group), group)


@pytest.mark.parametrize("type_", ["s8", "u16"])
def test_words_that_are_never_stored_are_zero_in_debug_builds(
    type_: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    agrees(product(type_, (16, 4)), (16, 4))


@pytest.mark.parametrize(
    ("other", "more"),
    [
        ("u8", ""),  # a sign or none
        ("", "ld_group_s8 $s18, [left+$s16]\n add_u32 $s9, $s9, $s18"),  # anywhere
        ("", "atomic_add_group_u32 $s18, [left], $s14"),
        ("", "ld_group_u32 $s18, [left]\n add_u32 $s9, $s9, $s18"),
    ],
)
def test_other_tiles_are_as_they_are_declared(other: str, more: str):
    text = product("s8", (16, 16), other=other, more=more)
    assert scale_of(text, (16, 16)) == 1


def test_rows_as_long_as_a_warp_are_as_they_are_declared():
    assert scale_of(product("s8", (64, 4)), (64, 4)) == 1
