"""Parts of a workgroup that share no group memory: what shows that, and what may show the part."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.group_memory.parts import are_apart, step_of_parts
from simtlab.isa.program import Kernel

SUM = """
kernel k(u32 %n, global u32* %x, global u32* %y) {{
    .group u32 other[{before}]
    .group u32 t[128]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s9, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s9
    mad_u64 $d0, $d1, 4, $d0
    ld_global_u32 $s6, [$d0]
    {lane}
    {offset}
    st_group_u32 $s6, [t+$s1]
    mov_u32 $s3, {first}
@next:
    barrier
    cmp_ge_u32 $c0, $s2, $s3
    cbr $c0, @skip
    shl_u32 $s4, $s3, 2
    add_u32 $s4, $s4, $s1
    ld_group_u32 $s6, [t+$s1]
    ld_group_u32 $s7, [t+$s4]
    add_u32 $s6, $s6, $s7
    st_group_u32 $s6, [t+$s1]
@skip:
    shr_u32 $s3, $s3, 1
    cmp_ne_u32 $c0, $s3, 0
    cbr $c0, @next
    {end}
    ld_kernarg_u64 $d0, [%y]
    mad_u64 $d0, $d1, 4, $d0
    st_global_u32 $s6, [$d0]
    ret
}}
"""
LANE = "and_u32 $s2, $s0, 31"
OFFSET = "shl_u32 $s1, $s0, 2"


def kernel(
    lane: str = LANE, offset: str = OFFSET, end: str = "", *, first: int = 16, before: int = 1
) -> Kernel:
    text = SUM.format(lane=lane, offset=offset, end=end, first=first, before=before)
    return assemble(text).kernels[0]


def step(found: Kernel, items: int = 32) -> int | None:
    return step_of_parts(analyse(found).ssa, items)


def apart(found: Kernel, items: int = 32, parts: int = 4, step: int = 128) -> bool:
    facts = Facts(items, (items, 1, 1), whole=True, one_warp=True)
    analysis = analyse(found)
    runs_with = analysis.lane_plan(facts).masks.runs_with
    return are_apart(analysis.shapes(facts), runs_with, found.group_size, parts, step)


@pytest.mark.parametrize(
    "lane",
    [
        LANE,
        "rem_u32 $s2, $s0, 32",
        "shr_u32 $s8, $s0, 5\n shl_u32 $s8, $s8, 5\n sub_u32 $s2, $s0, $s8",
        "workitemflatid_u32 $s8\n and_u32 $s2, $s8, 31",
        "and_u32 $s2, $s9, 31",
        "rem_u32 $s2, $s9, 32",
    ],
)
def test_lanes_of_a_part(lane: str) -> None:
    assert step(kernel(lane)) == 128
    assert apart(kernel(lane))


@pytest.mark.parametrize(
    "offset",
    [
        "shr_u32 $s8, $s0, 5\n mul_u32 $s8, $s8, 128\n mad_u32 $s1, $s2, 4, $s8",
        "lda_group_u32 $s8, [t]\n mad_u32 $s1, $s0, 4, $s8\n sub_u32 $s1, $s1, $s8",
    ],
)
def test_offsets(offset: str) -> None:
    assert step(kernel(offset=offset)) == 128


def test_larger_and_smaller_parts() -> None:
    wide = kernel("and_u32 $s2, $s0, 63", first=32)
    assert step(wide) is None
    assert step(wide, 64) == 256
    assert apart(wide, 64, 2, 256)
    narrow = kernel("and_u32 $s2, $s0, 7", first=4)
    assert step(narrow) == 128
    assert apart(narrow)


@pytest.mark.parametrize(
    ("lane", "offset", "end"),
    [
        ("mov_u32 $s2, $s0", OFFSET, ""),  # a tree over all
        ("and_u32 $s2, $s0, 15\n xor_u32 $s0, $s0, 32", OFFSET, ""),
        (LANE, OFFSET, "mov_u32 $s6, $s0"),  # a result has the number
        (LANE, OFFSET, "cvt_u64_u32 $d1, $s0"),
        (LANE, OFFSET, "shr_u32 $s6, $s0, 5"),
        (LANE, OFFSET, "cmp_eq_u32 $c0, $s0, 0\n cvt_u32_b1 $s6, $c0"),
        (LANE, OFFSET, "workgroupid_u32 $s6, 0"),
        (LANE, OFFSET, "workgroupsize_u32 $s6, 0"),
        (LANE, OFFSET, "waveid_u32 $s6"),
        (LANE, OFFSET, "activelaneany_b1 $c0, $c0\n cvt_u32_b1 $s6, $c0"),
        (LANE, OFFSET, "barrier\n ld_group_u32 $s6, [t]"),  # one word for all
        (LANE, OFFSET, "barrier\n shl_u32 $s4, $s2, 2\n ld_group_u32 $s6, [t+$s4]"),
        (LANE, "shl_u32 $s1, $s0, 3", "barrier\n shl_u32 $s4, $s0, 2\n ld_group_u32 $s6, [t+$s4]"),
        (LANE, OFFSET, "atomic_add_global_u32 [$d0], $s6"),
        (LANE, OFFSET, "atomic_add_group_u32 [t+$s1], $s6"),
        (LANE, OFFSET, "st_global_u32 $s6, [$d0]\n barrier"),
    ],
)
def test_what_shows_the_part(lane: str, offset: str, end: str) -> None:
    assert step(kernel(lane, offset, end)) is None


def test_words_of_other_parts() -> None:
    assert not apart(kernel(first=32))  # lanes add what the next part has stored
    assert not apart(kernel(), parts=5)  # beyond the end
    beside = kernel(end="barrier\n add_u32 $s4, $s1, 128\n ld_group_u32 $s6, [t+$s4]")
    assert step(beside) == 128
    assert not apart(beside)
    own = "st_group_u32 $s2, [other+$s1]\n barrier\n ld_group_u32 $s6, [other+$s1]"
    assert step(kernel(end=own)) == 128
    assert not apart(kernel(end=own))  # `other` of the second part is in `t`
    assert apart(kernel(end=own, before=128))


def test_words_that_are_not_known() -> None:
    by_data = kernel(end="and_u32 $s4, $s6, 28\n add_u32 $s4, $s4, $s1\n ld_group_u32 $s6, [t+$s4]")
    assert step(by_data) == 128
    assert not apart(by_data)
