"""Neighbouring numbers divided in a loop, as by a group that goes through rows of an array."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.kernel import row_quotients
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ...support.oracle_work import make
from ..support.against_oracle import assert_as_oracle

ITEMS, ROUNDS = 70, 3


def kernel(type_: str, group: int, step: str = "") -> str:
    """Return a kernel that adds remainders, quotients and what these lead to, in strides."""
    return f"""kernel rows(u32 %first, u32 %width, u32 %from, u32 %rounds, global u32* %x,
        global u32* %out) {{
        workitemid_u32 $s0, 0
        workitemabsid_u32 $s9, 0
        cvt_u64_u32 $d0, $s9
        ld_kernarg_u32 $s1, [%first]
        ld_kernarg_u32 $s2, [%width]
        ld_kernarg_u32 $s3, [%from]
        ld_kernarg_u32 $s11, [%rounds]
        ld_kernarg_u64 $d1, [%x]
        add_u32 $s4, $s0, $s1
        rem_u32 $s5, $s0, 9
        cmp_eq_u32 $c0, $s5, 4
        cbr $c0, @done
        mov_u32 $s5, 0
    @again:
        div_{type_} $s6, $s4, $s2
        rem_{type_} $s7, $s4, $s2
        {step}
        mad_u32 $s8, $s8, 31, $s7
        add_u32 $s7, $s6, $s3
        cvt_u64_u32 $d2, $s7
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s7, [$d2]
        mad_u32 $s8, $s8, 31, $s7
        add_u32 $s4, $s4, {group}
        add_u32 $s5, $s5, 1
        cmp_lt_u32 $c0, $s5, $s11
        cbr $c0, @again
    @done:
        ld_kernarg_u64 $d3, [%out]
        mad_u64 $d3, $d0, 4, $d3
        st_global_u32 $s8, [$d3]
        ret
    }}"""


def check(
    type_: str,
    first: int,
    width: int,
    start: int,
    *,
    group: int = 64,
    n: int = 40,
    text: str = "",
) -> bool:
    x = np.arange(n, dtype=np.uint32) * 7
    numbers = [np.uint32(value % (1 << 32)) for value in (first, width, start, ROUNDS)]

    def given() -> list[object]:
        return [*numbers, x.copy(), np.zeros(ITEMS, np.uint32)]

    text = text or kernel(type_, group)
    works = (make(text, given(), items=ITEMS, group_size=group) for _ in range(2))
    return assert_as_oracle(*works)


@pytest.mark.parametrize("type_", ["u32", "s32"])
def test_rows_that_are_long_and_short(type_: str) -> None:
    for width in (64, 65, 100, 1000, 63, 7, 1):
        assert not check(type_, 3, width, 2, n=300)


@pytest.mark.parametrize("group", [1, 7, 16, 32, 64])
def test_groups_of_any_size(group: int) -> None:
    assert not check("u32", 5, 66, 0, group=group)


def test_a_load_behind_a_branch_does_not_have_what_was_divided() -> None:
    text = kernel("u32", 64).replace("div_u32 $s6, $s4", "add_u32 $s10, $s4, 2\n div_u32 $s6, $s10")
    skip = "cmp_gt_u32 $c0, $s11, 100\n cbr $c0, @next\n"
    text = text.replace("add_u32 $s7, $s6, $s3", skip + "add_u32 $s7, $s6, $s3")
    text = text.replace("add_u32 $s4, $s4", "@next:\n add_u32 $s4, $s4")
    assert not check("u32", 3, 66, 0, text=text)


def test_the_last_row_is_the_last_element() -> None:
    last = (63 + (ROUNDS - 1) * 64) // 64
    assert not check("u32", 0, 64, 0, n=last + 1)
    assert check("u32", 0, 64, 0, n=last)
    assert check("u32", 0, 64, (1 << 32) - 1)  # the first row is outside, the next one is not


def test_numbers_that_wrap_around_and_signs() -> None:
    """Quotients of what is near the ends of the numbers lead to x by what is added to them."""
    for first in (-30, -1 << 31, (1 << 31) - 30):
        for type_ in ("u32", "s32"):
            check(type_, first, 1 << 30, 4)
            check(type_, first, -100, 4)
    assert check("u32", 0, 0, 0)  # a division by zero


@pytest.mark.parametrize("type_", ["u32", "s32"])
def test_warps_in_one_row_and_in_two(type_: str) -> None:
    """The last number of a warp is the last one of a row, or the first one of the next row."""
    for width in (192, 193, 191, 256, 5000):
        for first in (0, 1, 63, width - 64, width - 63, width - 1):
            assert not check(type_, first, width, 2)
            assert not check(type_, first, width, 2, group=16)


@pytest.mark.parametrize("way", ["of_one", "of_two"])
def test_rows_are_taken_apart_by_scalars_in_loops(
    monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    asked: list[object] = []
    divided = getattr(row_quotients.Rows, way)
    monkeypatch.setattr(row_quotients.Rows, way, lambda rows: asked.append(rows) or divided(rows))
    given = [np.uint32(0)] * 4 + [np.zeros(9, np.uint32), np.zeros(ITEMS, np.uint32)]
    work = make(kernel("u32", 64), given, items=ITEMS)
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert len(asked) >= 2
