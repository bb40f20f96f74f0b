"""Rows of warps: interior ones in a loop of their own, and those at edges, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

WIDE, HIGH = 400, 2


def kernel(body: str, offsets: tuple[int, ...] = (0, 4, 8, 12)) -> str:
    """`body` computes an index in $s4 from x ($s0), y ($s1) and %k ($s5); four words are loaded."""
    loads = "\n".join(
        f"ld_global_u32 $s8, [$d1{offset:+d}]\n mad_u32 $s9, $s9, 5, $s8" for offset in offsets
    )
    return f"""
    kernel row(u32 %wide, u32 %k, global u32* %source, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        ld_kernarg_u32 $s2, [%wide]
        ld_kernarg_u32 $s5, [%k]
        cmp_ge_u32 $c0, $s0, $s2
        cbr $c0, @done
        {body}
        cvt_u64_u32 $d0, $s4
        ld_kernarg_u64 $d1, [%source]
        mad_u64 $d1, $d0, 4, $d1
        {loads}
        mad_u32 $s4, $s1, $s2, $s0
        cvt_u64_u32 $d0, $s4
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s9, [$d1]
    @done:
        ret
    }}"""


HERE = "mad_u32 $s4, $s1, $s2, $s0\n"
BODIES = {
    "neighbours": HERE,
    "every third": HERE + "mul_u32 $s4, $s4, 3",
    "backwards": HERE + "mov_u32 $s8, 820\n sub_u32 $s4, $s8, $s4",
    "columns": "mad_u32 $s4, $s0, $s5, $s1",
    "backwards by columns": "sub_u32 $s4, $s2, $s0\n mad_u32 $s4, $s4, $s5, $s1",
    "one left out": HERE + "cmp_eq_u32 $c1, $s0, $s5\n select_u32 $s9, $c1, 7, $s9",
    "one left out, from the other end": HERE
    + "sub_u32 $s8, $s2, $s0\n cmp_ne_u32 $c1, $s8, $s5\n select_u32 $s9, $c1, 7, $s9",
    "a part": HERE + "cmp_lt_u32 $c1, $s0, $s5\n select_u32 $s9, $c1, 7, $s9",
    "a branch": HERE + "cmp_ne_u32 $c1, $s0, $s5\n cbr $c1, @on\n add_u32 $s4, $s4, 1\n@on:",
    "numbers": "workitemflatabsid_u32 $s4\n cmp_eq_u32 $c1, $s4, $s5\n select_u32 $s9, $c1, 7, $s9",
}


def work_of(text: str, k: int, room: int, group: int = 512, **how: Any) -> Work:
    source = np.random.default_rng(5).integers(0, 1 << 32, room, np.uint32)
    out = np.zeros(WIDE * HIGH, np.uint32)
    return make(text, [WIDE, k, source, out], items=(WIDE, HIGH), group_size=(group, 1), **how)


def code_of(work: Work) -> str:
    return generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize(
    ("k", "room", "group"),
    [
        (2, 2500, 512),
        (0, 2500, 512),
        (399, 2500, 64),
        (33, 803, 512),
        (200, 830, 128),
        (1, 790, 256),
    ],
)
def test_rows_are_those_of_the_oracle(body: str, k: int, room: int, group: int) -> None:
    assert_as_oracle(*(work_of(kernel(body), k, room, group) for _ in "ab"))


@pytest.mark.parametrize("k", [31, 32, 64, 95, 367, 368, 400, 0xFFFFFFFF])
def test_a_place_that_is_left_out_may_be_anywhere(k: int) -> None:
    for name in ("one left out", "one left out, from the other end", "a branch"):
        assert_as_oracle(*(work_of(kernel(BODIES[name]), k, 900) for _ in "ab"))


@pytest.mark.parametrize("offsets", [(-4, 0, 4, 8), (-400, 0, 400, 1600), (2, 6, 10, 14)])
@pytest.mark.parametrize("room", [2, 31, 500, 799, 803, 1300])
def test_accesses_that_leave_the_buffer_somewhere(offsets: tuple[int, ...], room: int) -> None:
    assert_as_oracle(*(work_of(kernel(HERE, offsets), 0, room) for _ in "ab"))


def test_rows_of_warps_have_a_loop_for_interior_ones() -> None:
    for name, body in BODIES.items():
        text = code_of(work_of(kernel(body), 0, 2500))
        # Where a comparison may hold for a part of the row, each warp has its own test.
        assert ("\nrun_head:" in text) == (name != "a part"), name
        assert ("\ninterior:" in text) == (name == "a part"), name


def test_warps_at_edges_have_no_tests_of_accesses_that_are_all_inside() -> None:
    clamped = "sub_s32 $s8, $s0, 1\n max_s32 $s8, $s8, 0\n mad_u32 $s4, $s1, $s2, $s8"
    assert "\nedge:" in code_of(work_of(kernel(BODIES["one left out"]), 0, 2500))
    assert "\nedge:" not in code_of(work_of(kernel(clamped), 0, 2500))


@pytest.mark.parametrize("group", [(64, 4), (32, 2), (128, 2, 2)])
def test_workgroups_of_several_rows_test_each_warp(group: tuple[int, ...]) -> None:
    text = kernel("workitemid_u32 $s8, 1\n add_u32 $s9, $s9, $s8\n" + HERE)
    items = (WIDE, HIGH, 1)[: len(group)]
    works = [
        make(
            text,
            [WIDE, 3, np.arange(2500, dtype=np.uint32), np.zeros(WIDE * HIGH, np.uint32)],
            items=items,
            group_size=group,
        )
        for _ in "ab"
    ]
    assert "\nrun_head:" not in code_of(works[0])
    assert_as_oracle(works[0], works[1])


def test_launches_in_slices_begin_at_any_workgroup() -> None:
    """Positions are counted from that of the first workgroup of a call."""
    text = """
    kernel places(global u32* %out) {
        workgroupid_u32 $s0, 0
        workgroupid_u32 $s1, 1
        workgroupid_u32 $s2, 2
        mad_u32 $s3, $s1, 100, $s0
        mad_u32 $s3, $s2, 10000, $s3
        workitemflatabsid_u32 $s4
        cvt_u64_u32 $d0, $s4
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s3, [$d1]
        ret
    }"""
    works = [
        make(text, [np.zeros(5 * 3 * 4 * 8, np.uint32)], items=(40, 3, 4), group_size=(8, 1, 1))
        for _ in "ab"
    ]
    assert_as_oracle(works[0], works[1])


STREAM = """
    kernel saxpy(f32 %a, u32 %n, global f32* %x, global f32* %y) {
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        cvt_u64_u32 $d2, $s0
        ld_kernarg_u64 $d0, [%x]
        mad_u64 $d0, $d2, 4, $d0
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d2, 4, $d1
        ld_global_f32 $s2, [$d0]
        ld_global_f32 $s3, [$d1]
        ld_kernarg_f32 $s4, [%a]
        fma_f32 $s3, $s4, $s2, $s3
        MORE
        st_global_f32 $s3, [$d1]
    @done:
        ret
    }"""


def stream_of(more: str = "", n: int = 2500, room: int = 2500) -> Work:
    numbers = np.random.default_rng(3).random((2, room), np.float32)
    numbers[1, 1025:1100:37] = np.nan
    numbers.view(np.uint32)[1, 1026:1100:37] = 0xFF812345  # a NaN that is not canonical
    text = STREAM.replace("MORE", more)
    return make(text, [np.float32(0.5), n, *numbers], items=(2560,), group_size=(1024,))


@pytest.mark.parametrize(("n", "room"), [(2500, 2500), (2048, 2048), (2060, 2050), (2560, 1087)])
def test_streams_run_vector_by_vector(n: int, room: int) -> None:
    works = [stream_of(n=n, room=room) for _ in "ab"]
    assert "\nrun_over0:" in code_of(works[0])
    assert_as_oracle(works[0], works[1])


@pytest.mark.parametrize(
    "more", ["mul_f32 $s3, $s3, $s3", "waveid_u32 $s5\n st_global_u32 $s5, [$d0]"]
)
def test_streams_that_compute_or_show_their_warps_run_whole(more: str) -> None:
    works = [stream_of(more) for _ in "ab"]
    assert "\nrun_over0:" not in code_of(works[0])
    assert_as_oracle(works[0], works[1])
