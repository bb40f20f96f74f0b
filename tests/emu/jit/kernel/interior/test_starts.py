"""Interior warps that begin at any work-item of a row, and rows that have those of most rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.interior import row
from simtlab.emu.jit.kernel.interior.row_vectors import may_begin_anywhere
from simtlab.emu.jit.kernel.interior.search import Search
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.regroup import as_run

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

GRID = """
kernel grid(u32 %wide, u32 %high, u32 %deep, global u32* %x, global u32* %y) {
    .private u32 own[4]
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    workitemabsid_u32 $s2, 2
    ld_kernarg_u32 $s3, [%wide]
    ld_kernarg_u32 $s4, [%high]
    ld_kernarg_u32 $s5, [%deep]
    sub_u32 $s6, $s3, RIGHT
    sub_u32 $s7, $s4, 1
    cmp_lt_u32 $c0, $s0, LEFT
    cmp_ge_u32 $c1, $s0, $s6
    or_b1 $c0, $c0, $c1
    cmp_eq_u32 $c1, $s1, 0
    or_b1 $c0, $c0, $c1
    cmp_ge_u32 $c1, $s1, $s7
    or_b1 $c0, $c0, $c1
    cmp_ge_u32 $c1, $s2, $s5
    or_b1 $c0, $c0, $c1
    cbr $c0, @done
    mad_u32 $s8, $s2, $s4, $s1
    mad_u32 $s8, $s8, $s3, $s0
    cvt_u64_u32 $d0, $s8
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    cvt_u64_u32 $d2, $s3
    shl_u64 $d2, $d2, 2
    sub_u64 $d3, $d1, $d2
    add_u64 $d4, $d1, $d2
    ld_global_u32 $s9, [$d1-4]
    ld_global_u32 $s10, [$d1+4]
    mad_u32 $s9, $s10, 3, $s9
    ld_global_u32 $s10, [$d3]
    mad_u32 $s9, $s10, 5, $s9
    ld_global_u32 $s10, [$d4]
    mad_u32 $s9, $s10, 7, $s9
    MORE
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s9, [$d1]
@done:
    ret
}
"""
PLACES = {
    "none": "",
    "the place": "add_u32 $s9, $s9, $s0",
    "low bits": "and_u32 $s10, $s0, 15\n mad_u32 $s9, $s10, 11, $s9",
    "high bits": "shr_u32 $s10, $s0, 5\n mad_u32 $s9, $s10, 11, $s9",
    "bits of a clamped place": "min_u32 $s10, $s0, 900\n and_u32 $s10, $s10, 16\n"
    " add_u32 $s9, $s9, $s10",
    "memory of its own": "and_u32 $s10, $s9, 12\n st_private_u32 $s9, [own+$s10]\n"
    " ld_private_u32 $s10, [own+4]\n add_u32 $s9, $s9, $s10",
}


def check(wide: int, left: int = 1, right: int = 1, more: str = "") -> None:
    """Compare with the oracle, for rows with as many work-items that return at their ends."""
    high, deep = 4, 2
    text = GRID.replace("LEFT", str(left)).replace("RIGHT", str(right)).replace("MORE", more)
    x = np.random.default_rng(wide).integers(0, 1 << 32, wide * high * deep, np.uint32)
    sizes = [np.uint32(n) for n in (wide, high, deep)]
    ours, expected = (
        make(
            text,
            [*sizes, x.copy(), np.zeros_like(x)],
            items=(wide, high, deep),
            group_size=(32, 2, 1),
        )
        for _ in range(2)
    )
    assert not assert_as_oracle(ours, expected)


@pytest.mark.parametrize(
    ("wide", "left", "right"), [(66, 1, 1), (67, 1, 1), (99, 3, 0), (130, 17, 2), (1030, 5, 1)]
)
def test_rows_with_borders(wide: int, left: int, right: int) -> None:
    check(wide, left, right)


@pytest.mark.parametrize("more", PLACES)
def test_what_is_known_of_aligned_warps(more: str) -> None:
    check(100, more=PLACES[more])


@pytest.mark.parametrize("more", ["none", "memory of its own"])
def test_rows_end_where_the_grid_does(more: str) -> None:
    check(99, right=-64, more=PLACES[more])


@pytest.mark.parametrize("more", PLACES)
def test_warps_begin_anywhere_unless_bits_of_a_place_are_read(more: str) -> None:
    text = GRID.replace("LEFT", "1").replace("RIGHT", "1").replace("MORE", PLACES[more])
    kernel = assemble(text).kernels[0]
    shapes = analyse(kernel).shapes(Facts(32, (128, 1, 1), whole=False))
    assert may_begin_anywhere(shapes) == (more in ("none", "the place", "bits of a clamped place"))


GUARDS = {
    "both ends": "cmp_lt_u32 $c0, $s0, $s3\n cmp_ge_u32 $c1, $s0, $s4\n or_b1 $c0, $c0, $c1",
    "all but between": "cmp_ge_u32 $c0, $s0, $s3\n cmp_lt_u32 $c1, $s0, $s4\n"
    " and_b1 $c0, $c0, $c1\n not_b1 $c0, $c0",
    "below zero": "sub_u32 $s8, $s0, $s3\n cmp_ge_u32 $c0, $s8, $s4",
    "large below zero": "sub_u32 $s8, $s0, $s3\n cmp_lt_u32 $c0, $s8, $s4",
    "with a sign": "sub_s32 $s8, $s0, $s3\n cmp_lt_s32 $c0, $s8, 0\n cmp_gt_s32 $c1, $s8, $s4\n"
    " or_b1 $c0, $c0, $c1",
    "of the row": "add_u32 $s8, $s0, $s1\n cmp_lt_u32 $c0, $s8, $s3\n cmp_ge_u32 $c1, $s8, $s4\n"
    " or_b1 $c0, $c0, $c1",
    "one lane": "cmp_ne_u32 $c0, $s0, $s3",
    "twice": "mul_u32 $s8, $s0, 2\n cmp_lt_u32 $c0, $s8, $s3\n cbr $c0, @done\n"
    " mul_u32 $s8, $s0, 3\n cmp_ge_u32 $c0, $s8, $s4",
    "after a store": "cvt_u64_u32 $d0, $s7\n ld_kernarg_u64 $d1, [%y]\n mad_u64 $d1, $d0, 4, $d1\n"
    " mov_u32 $s8, 5\n st_global_u32 $s8, [$d1]\n cmp_lt_u32 $c0, $s0, $s3\n cbr $c0, @done\n"
    " cmp_ge_u32 $c0, $s0, $s4",
}
ROWS = """
kernel rows(u32 %wide, u32 %low, u32 %high, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%wide]
    ld_kernarg_u32 $s3, [%low]
    ld_kernarg_u32 $s4, [%high]
    mad_u32 $s7, $s1, $s2, $s0
    GUARD
    cbr $c0, @done
    cvt_u64_u32 $d0, $s7
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d2, $d0, 4, $d1
    cvt_u64_u32 $d3, $s0
    mad_u64 $d3, $d3, 4, $d1
    ld_global_u32 $s9, [$d2]
    ld_global_u32 $s10, [$d3]
    mad_u32 $s9, $s10, 3, $s9
    ld_global_u32 $s10, [$d2+4]
    mad_u32 $s9, $s10, 5, $s9
    ld_global_u32 $s10, [$d2+8]
    mad_u32 $s9, $s10, 7, $s9
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s9, [$d1]
@done:
    ret
}
"""


def rows(guard: str, wide: int, low: int, high: int, room: int = 2, items: int = 0) -> Work:
    """Return a launch of rows of `wide` words, of which `room` more follow the last one."""
    down = 5
    x = np.random.default_rng(low).integers(0, 1 << 32, max(wide * down + room, 1), np.uint32)
    y = np.zeros(wide * down + 64, np.uint32)
    numbers = [np.uint32(n) for n in (wide, low, high)]
    text = ROWS.replace("GUARD", GUARDS[guard])
    return make(text, [*numbers, x, y], items=(items or wide, down), group_size=(16, 1))


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize(
    ("wide", "low", "high"),
    [
        (1, 0, 1),
        (7, 1, 6),
        (16, 0, 16),
        (32, 3, 29),
        (64, 0, 64),
        (100, 1, 99),
        (192, 40, 48),
        (130, 64, 1 << 31),
        (130, 129, 130),
        (300, 200, 7),
        (300, 0xFFFFFFFF, 0xFFFFFFF0),
        (1100, 1000, 1090),
    ],
)
def test_rows_begin_and_end_where_work_items_run(
    guard: str, wide: int, low: int, high: int
) -> None:
    assert_as_oracle(*(rows(guard, wide, low, high) for _ in "ab"))


@pytest.mark.parametrize("room", [2, 1, 0, -1, -30])
@pytest.mark.parametrize("guard", ["both ends", "of the row", "after a store"])
def test_rows_whose_last_loads_leave_the_buffer(guard: str, room: int) -> None:
    for wide, low, high in ((192, 0, 192), (192, 1, 191), (100, 3, 100), (64, 0, 64)):
        assert_as_oracle(*(rows(guard, wide, low, high, room) for _ in "ab"))


def test_a_grid_may_be_wider_than_its_rows() -> None:
    for items in (96, 208, 256):
        assert_as_oracle(*(rows("both ends", 90, 1, 89, 200, items) for _ in "ab"))


@pytest.mark.parametrize("guard", [guard for guard in GUARDS if guard != "one lane"])
def test_which_comparisons_bound_a_row(guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bool] = []

    def search(interior: Any, edges: Any, running: Any, *more: Any) -> Search:
        found.append(edges is not None and running is not None)
        return Search(interior, edges, running, *more)

    monkeypatch.setattr(row, "Search", search)
    work = rows(guard, 192, 1, 191)
    kernel, geometry = as_run(work.kernel, work.geometry)
    text = generate(kernel, 0, facts_of(kernel, geometry))
    # A difference that may wrap around in some lanes shows nothing of these.
    knows_some = guard not in ("below zero", "large below zero", "with a sign", "after a store")
    assert found == [knows_some]
    # Warps of rows that are not inside have no interior ones beside them.
    assert "\nedge:" in text
    assert "\nwarp_check:" not in text


def test_one_row_has_interior_warps_beside_all_others() -> None:
    text = ROWS.replace("GUARD", GUARDS["both ends"])
    text = text.replace("workitemabsid_u32 $s1, 1", "mov_u32 $s1, 0")
    arrays = [np.zeros(1000, np.uint32) for _ in "xy"]
    numbers = [np.uint32(n) for n in (900, 1, 900)]
    work = make(text, [*numbers, *arrays], items=900, group_size=128)
    kernel, geometry = as_run(work.kernel, work.geometry)
    assert "\nwarp_check:" in generate(kernel, 0, facts_of(kernel, geometry))
