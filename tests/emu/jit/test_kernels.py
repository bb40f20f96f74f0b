"""Whole kernels in native code against the oracle: shapes of launches, control flow, pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from simtlab.emu.jit.launch.engine import execute
from simtlab.testing import Case, assert_all_agree, kernels

from ...quick import examples
from ..support.oracle_work import make
from .support.agreement import same

# --- random kernels


@examples(6, 60)
@given(kernels())
def test_random_kernels_leave_the_oracles_memory(case: Case) -> None:
    assert_all_agree(case, engines=["jit"], schemes=["stack"])


@pytest.mark.slow
@settings(max_examples=3000)
@given(kernels())
def test_thousands_of_random_kernels_leave_the_oracles_memory(case: Case) -> None:
    assert_all_agree(case, engines=["jit"], schemes=["stack"])


# --- shapes of launches

ROW_OF_A_WARP = """
    kernel rows(global u32* %x, global u32* %y) {
        workitemabsid_u32 $s0, 0
        bitextract_u32 $s1, $s0, 5, 27          // row
        and_u32 $s2, $s0, 31
        laneid_u32 $s8
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d2, $d0, 4, $d1
        ld_global_u32 $s3, [$d2]
        ld_global_u32 $s4, [$d2+4]
        rem_u32 $s6, $s4, 3
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @each
        shl_u32 $s8, $s8, 4
    @each:
        add_u32 $s3, $s3, $s2
    @entry:
        cmp_ge_u32 $c0, $s3, $s4
        cbr $c0, @summed
        cvt_u64_u32 $d3, $s3
        mad_u64 $d3, $d3, 4, $d1
        ld_global_u32 $s7, [$d3+32]
        mad_u32 $s8, $s8, 5, $s7
        add_u32 $s3, $s3, 32
        br @entry
    @summed:
        cvt_u64_u32 $d3, $s0
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d3, $d3, 4, $d1
        st_global_u32 $s8, [$d3]
        ret
    }"""


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
def test_warps_run_rows_of_a_matrix(width: int) -> None:
    rng = np.random.default_rng(6)
    x = np.append(rng.integers(0, 90, 7).cumsum(), rng.integers(0, 2**32, 700)).astype(np.uint32)
    same(ROW_OF_A_WARP, [x, np.zeros(192, np.uint32)], items=192, group_size=64, width=width)


GROUP_SIZES = [1, 7, 16, 33, 256, (8, 4), (32, 2), (5, 3), (4, 2, 3), (3, 5, 2), (64, 2, 1)]

IDENTITY = [
    *(
        f"{stem}_u32 $s1, {dim}"
        for stem in (
            "workitemid", "workitemabsid", "workgroupid", "workgroupsize", "currentworkgroupsize",
            "gridsize", "gridgroups",
        )
        for dim in range(3)
    ),
    *(f"{stem}_u32 $s1" for stem in ("workitemflatid", "workitemflatabsid", "laneid", "waveid")),
]  # fmt: skip


def items_for(group_size: int | tuple[int, ...], ragged: bool) -> tuple[int, ...]:
    """Two workgroups each way, the last ones whole or not."""
    sizes = (group_size,) if isinstance(group_size, int) else group_size
    return tuple(max(1, 2 * s - (s // 2 if ragged else 0)) for s in sizes)


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("group_size", GROUP_SIZES)
def test_every_work_item_knows_who_it_is(group_size: Any, ragged: bool) -> None:
    lines = "\n".join(
        f"{line}\n mad_u32 $s0, $s0, {31 + 2 * i}, $s1" for i, line in enumerate(IDENTITY)
    )
    text = f"""
        kernel who(global u32* %out) {{
            {lines}
            workitemflatabsid_u32 $s2
            cvt_u64_u32 $d0, $s2
            ld_kernarg_u64 $d1, [%out]
            mad_u64 $d0, $d0, 4, $d1
            st_global_u32 $s0, [$d0]
            ret
        }}"""
    items = items_for(group_size, ragged)
    out = np.zeros(int(np.prod(items)), np.uint32)
    same(text, [out], items=items, group_size=group_size)


REVERSE = """
    kernel reverse(global u32* %x, u32 %size) {
        .group u32 tile[256]
        .private u32 kept[2]
        workitemflatabsid_u32 $s0
        workitemflatid_u32 $s1
        st_private_u32 $s0, [kept+4]
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        mul_u32 $s3, $s1, 4
        currentworkgroupsize_u32 $s4, 0
        currentworkgroupsize_u32 $s5, 1
        mul_u32 $s4, $s4, $s5
        currentworkgroupsize_u32 $s5, 2
        mul_u32 $s4, $s4, $s5
        mov_u32 $s6, 0
    @again:
        st_group_u32 $s2, [tile+$s3]
        barrier
        sub_u32 $s7, $s4, $s1
        sub_u32 $s7, $s7, 1
        mul_u32 $s7, $s7, 4
        ld_group_u32 $s8, [tile+$s7]
        barrier
        mad_u32 $s2, $s8, 3, $s6
        add_u32 $s6, $s6, 1
        cmp_lt_u32 $c0, $s6, 3
        cbr $c0, @again
        ld_private_u32 $s9, [kept+4]
        add_u32 $s2, $s2, $s9
        st_global_u32 $s2, [$d0]
        ret
    }"""


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("group_size", GROUP_SIZES)
def test_warps_exchange_through_group_memory_and_keep_their_values(
    group_size: Any, ragged: bool
) -> None:
    items = items_for(group_size, ragged)
    x = np.arange(int(np.prod(items)), dtype=np.uint32) * 7 + 1
    same(REVERSE, [x, 0], items=items, group_size=group_size)


@pytest.mark.parametrize("width", [1, 4, 7, 16, 64])
def test_a_kernel_that_asks_for_the_warp_width_gets_it(width: int) -> None:
    text = """
        kernel lanes(global u32* %out) {
            workitemflatabsid_u32 $s0
            laneid_u32 $s1
            waveid_u32 $s2
            wavesize_u32 $s3
            mad_u32 $s1, $s2, 1000, $s1
            mad_u32 $s1, $s3, 1000000, $s1
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%out]
            mad_u64 $d0, $d0, 4, $d1
            st_global_u32 $s1, [$d0]
            ret
        }"""
    out = np.zeros(100, np.uint32)
    work = make(text, [out], items=100, group_size=50, width=width)
    execute(work)
    local = np.arange(100) % 50
    expected = width * 1000000 + local // width * 1000 + local % width
    assert out.tolist() == expected.tolist()


# --- control flow

AROUND = """
    kernel around(global u32* %x) {{
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s1, [$d0]
        mov_u32 $s2, 0
        mov_u32 $s3, 12
        {}
        mad_u32 $s1, $s2, 100, $s1
        st_global_u32 $s1, [$d0]
        ret
    }}"""

SHARED_HEADER = """
    @top:
        sub_u32 $s3, $s3, 1
        cmp_eq_u32 $c9, $s3, 0
        cbr $c9, @meet
        add_u32 $s1, $s1, 1
        and_u32 $s4, $s1, 3
        cmp_ne_u32 $c0, $s4, 3
        cbr $c0, @top
        and_u32 $s4, $s1, 8
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @meet
        add_u32 $s1, $s1, 2
        br @top
    @meet:
        {}
        add_u32 $s2, $s2, 1
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c1, $s2, 3
        cbr $c1, @top"""

ENTERED_AHEAD = """
    @top:
        add_u32 $s1, $s1, 1
    @test:
        sub_u32 $s3, $s3, 1
        cmp_eq_u32 $c9, $s3, 0
        cbr $c9, @meet
        and_u32 $s4, $s1, 7
        cmp_ne_u32 $c0, $s4, 5
        cbr $c0, @top
    @meet:
        {}
        add_u32 $s1, $s1, 3
        add_u32 $s3, $s3, 2
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c1, $s2, 4
        cbr $c1, @test"""
"""A loop around another, whose body comes before the entry of the outer loop in the code."""

IRREDUCIBLE = """
        and_u32 $s4, $s0, 1
        cmp_eq_u32 $c0, $s4, 0
        cbr $c0, @middle
    @top:
        add_u32 $s1, $s1, 5
    @middle:
        add_u32 $s2, $s2, $s1
        sub_u32 $s3, $s3, 1
        rem_u32 $s4, $s1, 7
        cmp_eq_u32 $c0, $s3, 0
        cbr $c0, @out
        cmp_lt_u32 $c0, $s4, 3
        cbr $c0, @top
        add_u32 $s1, $s1, 1
        cmp_gt_u32 $c0, $s4, 5
        cbr $c0, @middle
        br @top
    @out:
        {}"""


@pytest.mark.parametrize("meeting", ["nop", "barrier"])
@pytest.mark.parametrize(
    "body",
    [SHARED_HEADER, ENTERED_AHEAD, IRREDUCIBLE],
    ids=["shared header", "entered ahead", "irreducible"],
)
def test_lanes_meet_behind_the_loops_that_they_leave_in_different_trips(
    body: str, meeting: str
) -> None:
    x = np.arange(70, dtype=np.uint32) * 3
    same(AROUND.format(body.format(meeting)), [x], items=70, group_size=70)


def test_a_uniform_load_in_a_loop_that_lanes_leave_in_different_trips_keeps_each_lanes_value():
    body = """
    @top:
        ld_global_u32 $s5, [$d1+400]
        add_u32 $s5, $s5, $s2
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, $s0
        cbr $c0, @top
        mov_u32 $s2, $s5"""
    same(AROUND.format(body), [np.arange(101, dtype=np.uint32)], items=40, group_size=40)


def test_a_condition_chosen_among_constants_meets_others_behind_a_branch():
    body = """
        and_u32 $s4, $s0, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @meet
        select_b1 $c0, $c0, $c1, $c1
    @meet:
        cvt_u32_b1 $s2, $c0"""
    same(AROUND.format(body), [np.arange(40, dtype=np.uint32)], items=40, group_size=40)


# --- pointers that leave their buffer

WANDER = {
    "wide": "mad_u64 $d4, $d0, 4, $d1\n add_u64 $d4, $d4, $d3",
    "uniform": "add_u64 $d4, $d1, $d3",
    "gather": "mul_u32 $s1, $s0, 3\n and_u32 $s1, $s1, 31\n cvt_u64_u32 $d4, $s1\n"
    " mad_u64 $d4, $d4, 4, $d1\n add_u64 $d4, $d4, $d3",
    "some lanes": "and_u64 $d4, $d0, 1\n mul_u64 $d4, $d4, $d3\n mad_u64 $d5, $d0, 4, $d1\n"
    " add_u64 $d4, $d4, $d5",
    "backwards": "xor_u32 $s1, $s0, 31\n cvt_u64_u32 $d4, $s1\n mad_u64 $d4, $d4, 4, $d1\n"
    " add_u64 $d4, $d4, $d3",
    "negative index": "sub_u32 $s1, $s0, 16\n cvt_s64_s32 $d4, $s1\n mad_s64 $d4, $d4, 4, $d2\n"
    " add_s64 $d4, $d4, 64",
    "wrapping sum": "sub_u32 $s1, $s0, 16\n add_u32 $s1, $s1, 16\n cvt_u64_u32 $d4, $s1\n"
    " mad_u64 $d4, $d4, 4, $d1\n add_u64 $d4, $d4, $d3",
}


@pytest.mark.parametrize("how", WANDER)
@pytest.mark.parametrize("type_", ["u8", "s16", "u32", "u64"])
def test_pointers_may_leave_their_buffer_for_another_one(how: str, type_: str) -> None:
    body = WANDER[how]
    data = "$d7" if type_ == "u64" else "$s7"
    text = f"""
        kernel wander(global u32* %x, global u32* %y, global u32* %out) {{
            workitemflatabsid_u32 $s0
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%x]
            ld_kernarg_u64 $d2, [%y]
            sub_u64 $d3, $d2, $d1
            {body}
            and_u64 $d4, $d4, -8
            ld_global_{type_} {data}, [$d4+8]
            cvt_u32_u64 $s8, $d7
            add_u32 $s7, $s7, $s8
            ld_kernarg_u64 $d5, [%out]
            mad_u64 $d5, $d0, 4, $d5
            st_global_u32 $s7, [$d5]
            ret
        }}"""
    x, y = (np.random.default_rng(i).integers(0, 1 << 32, 48, np.uint32) for i in (1, 2))
    same(text, [x, y, np.zeros(32, np.uint32)], items=32, group_size=32)
    # The same without the mask, so that the address keeps its shape.
    plain = text.replace("and_u64 $d4, $d4, -8", "").replace("$d4+8", "$d4")
    if type_ != "u64":
        same(plain, [x, y, np.zeros(32, np.uint32)], items=32, group_size=32)
    store = plain.replace(f"ld_global_{type_} {data}, [$d4]", f"st_global_{type_} {data}, [$d4]")
    if type_ != "u64":
        store = store.replace(body, f"{body}\n mad_u32 $s7, $s0, 77, $s0")
        same(store, [x, y, np.zeros(32, np.uint32)], items=32, group_size=32)
