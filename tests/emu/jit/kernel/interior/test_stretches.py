"""Stretches of rows that have the same interior warps, and vectors whose lanes all run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle


def kernel(left: str = "cmp_lt_u32 $c0, $s0, 1", row: str = "mov_u32 $s12, $s1") -> str:
    """Five points within a border; `left` is its comparison at x = 0, `row` what y counts as."""
    return f"""
    kernel points(u32 %wide, u32 %high, global u32* %a, global u32* %b) {{
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        workitemabsid_u32 $s2, 2
        ld_kernarg_u32 $s3, [%wide]
        ld_kernarg_u32 $s4, [%high]
        sub_u32 $s5, $s3, 1
        sub_u32 $s6, $s4, 1
        {left}
        cmp_ge_u32 $c1, $s0, $s5
        or_b1 $c0, $c0, $c1
        cmp_lt_u32 $c1, $s1, 1
        or_b1 $c0, $c0, $c1
        cmp_ge_u32 $c1, $s1, $s6
        or_b1 $c0, $c0, $c1
        cbr $c0, @done
        {row}
        mad_u32 $s7, $s2, $s4, $s12
        mad_u32 $s7, $s7, $s3, $s0
        cvt_u64_u32 $d0, $s7
        ld_kernarg_u64 $d1, [%a]
        ld_kernarg_u64 $d2, [%b]
        mad_u64 $d3, $d0, 4, $d1
        ld_global_u32 $s8, [$d3-4]
        ld_global_u32 $s9, [$d3]
        mad_u32 $s8, $s9, 3, $s8
        ld_global_u32 $s9, [$d3+4]
        mad_u32 $s8, $s9, 5, $s8
        sub_u32 $s10, $s7, $s3
        cvt_u64_u32 $d3, $s10
        mad_u64 $d3, $d3, 4, $d1
        ld_global_u32 $s9, [$d3]
        mad_u32 $s8, $s9, 7, $s8
        add_u32 $s10, $s7, $s3
        cvt_u64_u32 $d3, $s10
        mad_u64 $d3, $d3, 4, $d1
        ld_global_u32 $s9, [$d3]
        mad_u32 $s8, $s9, 11, $s8
        mad_u64 $d3, $d0, 4, $d2
        st_global_u32 $s8, [$d3]
    @done:
        ret
    }}"""


LEFT = {
    "lt": "cmp_lt_u32 $c0, $s0, 1",
    "eq": "cmp_eq_u32 $c0, $s0, 0",
    "not ne": "cmp_ne_u32 $c0, $s0, 0\n not_b1 $c0, $c0",
    "eq 1": "cmp_eq_u32 $c0, $s0, 1",
    "le": "cmp_le_u32 $c0, $s0, 2",
    "none": "cmp_eq_u32 $c0, $s3, 77",
}
SQUARES = "mul_u32 $s12, $s1, $s1"


def work_of(
    text: str,
    items: tuple[int, int, int],
    group: int,
    wide: int | None = None,
    high: int | None = None,
    room: int = 0,
    width: int = 32,
) -> Work:
    """The arrays are `room` elements longer than the grid, or shorter."""
    size = max(int(np.prod(items)) + room, 1)
    source = np.random.default_rng(size).integers(0, 1 << 32, size, np.uint32)
    wide = items[0] if wide is None else wide
    high = items[1] if high is None else high
    args = [wide, high, source, np.zeros(size, np.uint32)]
    return make(text, args, items=items, group_size=(group, 1, 1), width=width)


def check(*args: Any, **how: Any) -> bool:
    return assert_as_oracle(*(work_of(*args, **how) for _ in "ab"))


def code_of(work: Work) -> str:
    return generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


@pytest.mark.parametrize("left", LEFT.values(), ids=LEFT)
@pytest.mark.parametrize("wide", [1, 2, 3, 17, 66, 100, 128])
def test_rows_of_all_heights(left: str, wide: int) -> None:
    for high in (1, 2, 3, 4, 41):
        check(kernel(left), (wide, high, 1), 128)


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
def test_widths_and_several_workgroups_a_row(width: int) -> None:
    for group in (32, 64, 256):
        check(kernel(), (130, 9, 2), group, width=width)


@pytest.mark.parametrize("planes", [2, 5])
def test_stretches_end_with_a_plane(planes: int) -> None:
    for high in (1, 3, 24):
        check(kernel(), (70, high, planes), 128)


@pytest.mark.parametrize("room", [-2000, -700, -101, -100, -99, -1, 1, 500])
def test_rows_up_to_the_end_of_a_buffer(room: int) -> None:
    """The last rows are outside, so that a stretch must end before them."""
    traps = [check(kernel(), (100, high, 1), 128, room=room) for high in (24, 40, 64)]
    assert all(traps) == (room < 0) or room in (-1, -99, -100)


@pytest.mark.parametrize("wide", [0, 1, 2, 50, 99, 120, 0x80000000, 0xFFFFFFFF])
@pytest.mark.parametrize("high", [0, 1, 7, 21, 0xFFFFFFFF])
def test_arguments_that_are_not_the_size_of_the_grid(wide: int, high: int) -> None:
    check(kernel(), (100, 20, 1), 128, wide, high, room=600)


def test_rows_that_do_not_grow_steadily() -> None:
    text = kernel(row=SQUARES)
    check(text, (100, 12, 1), 128, room=20000)
    check(text, (100, 30, 1), 128)


def test_code_has_stretches_where_rows_grow_steadily() -> None:
    assert "\nrow_stretch:" in code_of(work_of(kernel(), (100, 20, 1), 128))
    assert "\nrow_stretch:" not in code_of(work_of(kernel(row=SQUARES), (100, 20, 1), 128))


@pytest.mark.parametrize("left", ["lt", "eq", "not ne", "le"])
def test_lanes_of_vectors_do_not_ask_whether_they_return(left: str) -> None:
    text = code_of(work_of(kernel(LEFT[left]), (100, 20, 1), 128))
    vectors = text.split("\nedge:")[1].split("\nedge_over:")[0]
    assert "icmp uge <" not in vectors
    assert "icmp eq <" not in vectors
