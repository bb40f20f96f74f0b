"""Pointers that counted loops step: their bounds in interior warps, at the ends of a buffer."""

from __future__ import annotations

import numpy as np
import pytest

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

TEXT = """
kernel k(u32 %n, global u32* %x, global u32* %y) {{
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    add_u64 $d1, $d1, {start}
    mov_u32 $s2, 0
    mov_u32 $s3, 0
@outer:
    mov_u32 $s4, 0
@inner:
    ld_global_u32 $s5, [$d1]
    ld_global_u32 $s6, [$d1+4]
    mad_u32 $s2, $s2, 3, $s5
    add_u32 $s2, $s2, $s6
    {step}_u64 $d1, $d1, {inner}
    add_u32 $s4, $s4, 1
    cmp_lt_u32 $c1, $s4, 4
    cbr $c1, @inner
    {step}_u64 $d1, $d1, {outer}
    add_u32 $s3, $s3, 1
    cmp_lt_u32 $c1, $s3, 3
    cbr $c1, @outer
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s2, [$d2]
@done:
    ret
}}
"""
N = 300
"""Work-items of 320: the last warps have some lanes, or none."""


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("missing", [0, 1, 30])
@pytest.mark.parametrize("step", ["add", "sub"])
def test_the_first_and_the_last_place(step: str, missing: int, width: int) -> None:
    inner, outer, reach = 4, 24, 2 * (4 * 4 + 24) + 3 * 4
    start = 0 if step == "add" else reach
    text = TEXT.format(start=start - (0 if step == "add" else 4 * missing), step=step,
                       inner=inner, outer=outer)  # fmt: skip
    words = N + reach // 4 + 1 - (missing if step == "add" else 0)
    own, expected = (
        make(
            text,
            [N, np.arange(1, words + 1, dtype=np.uint32), np.zeros(N, np.uint32)],
            items=(320,),
            group_size=(160,),
            width=width,
        )
        for _ in range(2)
    )
    assert assert_as_oracle(own, expected) == (missing > 0)


PLANES = """
kernel k(u32 %n, s32 %by, s32 %start, global u32* %x, global u32* %y) {
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s1, [%n]
    cmp_ge_u32          $c0, $s0, $s1
    cbr                 $c0, @done
    ld_kernarg_u32      $s7, [%by]
    ld_kernarg_u32      $s8, [%start]
    ld_kernarg_u64      $d1, [%x]
    add_u32             $s6, $s0, $s8
    mov_u32             $s2, 0
    mov_u32             $s3, 0
@outer:
    mov_u32             $s4, 0
@inner:
    cvt_u64_u32         $d0, $s6
    mad_u64             $d0, $d0, 4, $d1
    ld_global_u32       $s5, [$d0]
    mad_u32             $s2, $s2, 3, $s5
    ld_global_u32       $s5, [$d0+4]
    mad_u32             $s2, $s2, 5, $s5
    STEP_u32            $s6, $s6, $s7
    add_u32             $s4, $s4, 1
    cmp_lt_u32          $c1, $s4, 3
    cbr                 $c1, @inner
    add_u32             $s6, $s6, 1
    add_u32             $s3, $s3, 1
    cmp_lt_u32          $c1, $s3, 2
    cbr                 $c1, @outer
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d2, [%y]
    mad_u64             $d2, $d0, 4, $d2
    st_global_u32       $s2, [$d2]
@done:
    ret
}
"""
"""A nest that steps by an argument, from plane to plane."""


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("room", [0, -1, 5])
@pytest.mark.parametrize(("stem", "by"), [("add", 40), ("add", -40), ("sub", 40), ("add", 0)])
def test_steps_that_are_arguments(stem: str, by: int, room: int, width: int) -> None:
    way = 5 * by * (1 if stem == "add" else -1)
    start = max(-way, 0)
    works = []
    for _ in "ab":
        arrays = np.arange(1, N + abs(way) + 3 + room, dtype=np.uint32), np.zeros(N, np.uint32)
        values = [N, by, start, *arrays]
        text = PLANES.replace("STEP", stem)
        works.append(make(text, values, items=(320,), group_size=(160,), width=width))
    steps = [way // 5 * (3 * outer + inner) + outer for outer in range(2) for inner in range(3)]
    assert assert_as_oracle(*works) == (start + N - 1 + max(steps) + 1 >= N + abs(way) + 2 + room)


@pytest.mark.parametrize("by", [1 << 30, -(1 << 31), 1 << 31, 0xFFFFFFFF])
def test_steps_that_are_arguments_and_wrap_around(by: int) -> None:
    works = []
    for _ in "ab":
        arrays = np.arange(N + 40, dtype=np.uint32), np.zeros(N, np.uint32)
        values = [N, by & 0xFFFFFFFF, 20, *arrays]
        text = PLANES.replace("s32", "u32").replace("STEP", "add")
        works.append(make(text, values, items=(320,), group_size=(160,)))
    assert_as_oracle(*works)


@pytest.mark.parametrize("by", [4, 8, 0, 1, 2, 6])
def test_pointers_that_step_by_an_argument_may_be_misaligned(by: int) -> None:
    """After four steps of one byte a pointer is aligned again."""
    n, works = 320, []
    text = TEXT.format(start=0, step="add", inner="$d3", outer=0)
    text = text.replace("$s4, 4", "$s4, 5").replace("$s3, 3", "$s3, 5")
    text = text.replace("u32 %n,", "u32 %n, u32 %by,")
    text = text.replace("mov_u32 $s2, 0", "ld_kernarg_u32 $s7, [%by]\n cvt_u64_u32 $d3, $s7\n"
                        "mov_u32 $s2, 0", 1)  # fmt: skip
    for _ in "ab":
        arrays = np.arange(n + 2 * 25 + 1, dtype=np.uint32), np.zeros(n, np.uint32)
        works.append(make(text, [n, by, *arrays], items=(n,), group_size=(160,)))
    assert assert_as_oracle(*works) == (by % 4 > 0)
