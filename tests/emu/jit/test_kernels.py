"""Whole kernels in native code against the oracle: memory, traps, NaNs, shapes of launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from simtlab.emu.engine import Work
from simtlab.emu.jit.launch.engine import depends_on_schedule, execute
from simtlab.emu.oracle import oracle
from simtlab.emu.traps import Trap, TrapKind
from simtlab.testing import Case, assert_all_agree, kernels

from ..support.oracle_work import make


def same(text: str, args: list[Any], **launch: Any) -> list[np.ndarray]:
    """Native code leaves the bytes that the oracle leaves; returns the arrays."""
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    oracle.run(make(text, expected, **launch))
    work = make(text, given, **launch)
    execute(work)
    for want, have in zip(expected, given, strict=True):
        if isinstance(want, np.ndarray):
            words = f"u{want.itemsize}"
            np.testing.assert_array_equal(have.view(words), want.view(words))
    return [a for a in given if isinstance(a, np.ndarray)]


# --- random kernels


@settings(max_examples=60)
@given(kernels())
def test_random_kernels_leave_the_oracles_memory(case: Case) -> None:
    assert_all_agree(case, engines=["jit"], schemes=["stack"])


@pytest.mark.slow
@settings(max_examples=3000)
@given(kernels())
def test_thousands_of_random_kernels_leave_the_oracles_memory(case: Case) -> None:
    assert_all_agree(case, engines=["jit"], schemes=["stack"])


# --- shapes of launches

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
"""A loop around one whose body stands in front of the outer one's entry."""

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


# --- traps

HOSTILE_FRAME = """\
.readonly u32 T[8] = { 1, 2, 3, 4 }
kernel hostile(global u32* %x, global u32* %frozen, global u64* %links, u32 %n) {
    .group u32 tile[32]
    .private u32 own[4]
    workitemflatabsid_u32 $s0
    workitemflatid_u32 $s1
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u64 $d2, [%frozen]
    ld_kernarg_u64 $d3, [%links]
    ld_kernarg_u32 $s2, [%n]
    mul_u32 $s3, $s1, 4
    mul_u32 $s4, $s0, 4
    mad_u64 $d4, $d0, 4, $d1
    mad_u64 $d5, $d0, 8, $d3
    // guard
    BODY
@out:
    ret
}
"""
ITEMS, GROUP = 64, 32

OUTSIDE, ODD, FROZEN, ZERO = (
    TrapKind.OUT_OF_BOUNDS, TrapKind.MISALIGNED, TrapKind.READ_ONLY, TrapKind.DIVIDE_BY_ZERO,
)  # fmt: skip

HOSTILE = {
    # x has 64 words, one a work-item; n is 3.
    "wide load": ("ld_global_u32 $s9, [$d4+4]", OUTSIDE),
    "wide load before": ("ld_global_u32 $s9, [$d4-4]", OUTSIDE),
    "wide store": ("st_global_u32 $s0, [$d4+128]", OUTSIDE),
    "wide load of bytes": ("add_u64 $d6, $d1, $d0\n ld_global_u8 $s9, [$d6+193]", OUTSIDE),
    "wide load of doubles": ("mad_u64 $d6, $d0, 8, $d1\n ld_global_f64 $d9, [$d6]", OUTSIDE),
    "uniform load": ("ld_global_u32 $s9, [$d1+256]", OUTSIDE),
    "uniform store": ("st_global_u32 $s2, [$d1-4]", OUTSIDE),
    "uniform store of lanes": ("st_global_u32 $s0, [$d1+256]", OUTSIDE),
    "gather": (
        "mul_u32 $s9, $s0, 3\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d1\n"
        " ld_global_u32 $s9, [$d6]", OUTSIDE),
    "scatter": (
        "xor_u32 $s9, $s0, 64\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d1\n"
        " st_global_u32 $s9, [$d6]", OUTSIDE),
    "signed gather": (
        "sub_s32 $s9, 3, $s0\n cvt_s64_s32 $d6, $s9\n mad_s64 $d6, $d6, 4, $d1\n"
        " ld_global_u32 $s9, [$d6]", OUTSIDE),
    "index that wraps": (
        "add_u32 $s9, $s0, 0xfffffff0\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d1\n"
        " mov_u64 $d7, 0x3ffffffc0\n sub_u64 $d6, $d6, $d7\n ld_global_u32 $s9, [$d6]", OUTSIDE),
    "scaled index that wraps": (
        "add_u32 $s9, $s4, 0xffffffc0\n cvt_u64_u32 $d6, $s9\n add_u64 $d6, $d6, $d1\n"
        " mov_u64 $d7, 0xffffffc0\n sub_u64 $d6, $d6, $d7\n ld_global_u32 $s9, [$d6]", OUTSIDE),
    "cold load": ("ld_global_u64 $d6, [$d5]\n ld_global_u32 $s9, [$d6]", OUTSIDE),
    "cold store": ("ld_global_u64 $d6, [$d5]\n st_global_u32 $s9, [$d6]", OUTSIDE),
    "null": ("ld_global_u32 $s9, [$d63]", OUTSIDE),
    "odd wide": ("ld_global_u32 $s9, [$d4+2]", ODD),
    "odd wide store": ("st_global_u16 $s9, [$d4+1]", ODD),
    "odd uniform": ("ld_global_u64 $d9, [$d1+4]", ODD),
    "odd gather": (
        "mul_u32 $s9, $s0, 3\n cvt_u64_u32 $d6, $s9\n add_u64 $d6, $d6, $d1\n"
        " ld_global_u16 $s9, [$d6]", ODD),
    "odd pointer": ("or_u64 $d6, $d4, 1\n st_global_u32 $s0, [$d6]", ODD),
    "frozen wide": ("mad_u64 $d6, $d0, 4, $d2\n st_global_u32 $s0, [$d6]", FROZEN),
    "frozen uniform": ("st_global_u32 $s2, [$d2]", FROZEN),
    "frozen scatter": (
        "xor_u32 $s9, $s0, 5\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d2\n"
        " st_global_u32 $s0, [$d6]", FROZEN),
    "frozen atomic": ("mad_u64 $d6, $d0, 4, $d2\n atomic_add_global_u32 [$d6], $s0", FROZEN),
    "wild atomic": ("atomic_add_global_u32 [$d4+200], $s0", OUTSIDE),
    "odd atomic": ("atomic_add_global_u32 [$d4+2], $s0", ODD),
    "group run": ("ld_group_u32 $s9, [tile+$s3+4]", OUTSIDE),
    "group run store": ("st_group_u32 $s9, [tile+$s3+64]", OUTSIDE),
    "group gather": ("mul_u32 $s9, $s1, 12\n ld_group_u32 $s9, [tile+$s9]", OUTSIDE),
    "group scatter": ("xor_u32 $s9, $s3, 128\n st_group_u32 $s9, [tile+$s9]", OUTSIDE),
    "group uniform": ("mul_u32 $s9, $s2, 48\n ld_group_u32 $s9, [tile+$s9]", OUTSIDE),
    "group uniform store": ("mul_u32 $s9, $s2, 48\n st_group_u32 $s0, [tile+$s9]", OUTSIDE),
    "group below": ("sub_u32 $s9, $s3, 4\n ld_group_u32 $s9, [tile+$s9]", OUTSIDE),
    "group far below": ("ld_group_u32 $s9, [$s3-8]", OUTSIDE),
    "group never": ("ld_group_u32 $s9, [$s3+100000]", OUTSIDE),
    "group odd run": ("ld_group_u32 $s9, [tile+$s3+2]", ODD),
    "group odd": ("ld_group_u32 $s9, [tile+$s1]", ODD),
    "group odd uniform": ("st_group_u16 $s9, [$s2]", ODD),
    "group atomic": ("atomic_add_group_u32 [tile+$s3+4], $s0", OUTSIDE),
    "group odd atomic": ("atomic_add_group_u32 [$s1+1], $s0", ODD),
    "group atomic never": ("atomic_add_group_u32 [$s1+1000], $s0", OUTSIDE),
    "private": ("st_private_u32 $s0, [own+$s3]", OUTSIDE),
    "private uniform": ("mul_u32 $s9, $s2, 8\n ld_private_u32 $s9, [own+$s9]", OUTSIDE),
    "private odd": ("ld_private_u16 $s9, [$s2]", ODD),
    "private never": ("st_private_u64 $d0, [$s3+9000]", OUTSIDE),
    "readonly run": ("ld_readonly_u32 $s9, [T+$s3]", OUTSIDE),
    "readonly uniform": ("mul_u32 $s9, $s2, 16\n ld_readonly_u32 $s9, [T+$s9]", OUTSIDE),
    "readonly odd": ("ld_readonly_u16 $s9, [$s2]", ODD),
    "divide": ("sub_u32 $s9, $s0, 40\n div_u32 $s9, $s0, $s9", ZERO),
    "divide all": ("rem_s32 $s9, $s0, $s63", ZERO),
    "divide uniform": ("sub_u32 $s9, $s2, 3\n div_s32 $s9, $s2, $s9", ZERO),
    "divide wide": ("sub_u64 $d6, $d0, 33\n rem_u64 $d6, $d0, $d6", ZERO),
    "trap": ("cmp_lt_u32 $c0, $s0, 45\n cbr $c0, @out\n trap 5", TrapKind.TRAP),
    "partial barrier": (
        "cmp_lt_u32 $c0, $s1, 7\n cbr $c0, @out\n barrier", TrapKind.DIVERGENT_BARRIER),
    "two barriers": (
        "cmp_lt_u32 $c0, $s1, 7\n cbr $c0, @other\n barrier\n br @out\n@other:\n barrier",
        TrapKind.DIVERGENT_BARRIER),
    "one more barrier": (
        "@more:\n barrier\n sub_u32 $s1, $s1, 1\n cmp_gt_s32 $c0, $s1, 20\n cbr $c0, @more",
        TrapKind.DIVERGENT_BARRIER),
}  # fmt: skip


def hostile_work(body: str, *, items: int = ITEMS, group: int = GROUP, **options: Any) -> Work:
    frozen = np.arange(ITEMS, dtype=np.uint32)
    frozen.flags.writeable = False
    x = np.arange(ITEMS, dtype=np.uint32)
    # Most links lead into x, which lies first; that of work-item 37 leads nowhere.
    links = np.uint64(0x1000_0000) + np.arange(ITEMS, dtype=np.uint64) * np.uint64(4)
    links[37] = 12345
    text = HOSTILE_FRAME.replace("BODY", body)
    return make(text, [x, frozen, links, 3], items=items, group_size=group, **options)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_trap_is_one_that_a_work_item_alone_has(name: str) -> None:
    body, kind = HOSTILE[name]
    for group in (GROUP, ITEMS, 21):
        work = hostile_work(body, group=group)
        found = oracle.all_traps(work)
        assert kind in {k for k, *_ in found} or group != GROUP
        if not found:
            execute(work)
            continue
        with pytest.raises(Trap) as caught:
            execute(work)
        assert caught.value.record.key in found


@pytest.mark.parametrize("name", [n for n in HOSTILE if "barrier" not in n])
def test_lanes_that_are_off_do_not_trap(name: str) -> None:
    guard = "cmp_ge_u32 $c5, $s0, %d\n cbr $c5, @out"
    body, _ = HOSTILE[name]
    for bound in (0, 1, 17, 37, 40):
        work = hostile_work(f"{guard % bound}\n{body}")
        found = oracle.all_traps(work)
        if not found:
            execute(work)
            continue
        with pytest.raises(Trap) as caught:
            execute(work)
        assert caught.value.record.key in found


def test_a_freed_buffer_traps_as_such() -> None:
    for body in (
        "ld_global_u32 $s9, [$d4]",
        "st_global_u32 $s9, [$d1]",
        "xor_u32 $s9, $s0, 5\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d1\n"
        " ld_global_u32 $s9, [$d6]",
        "ld_global_u64 $d6, [$d5]\n ld_global_u32 $s9, [$d6]",
    ):
        work = hostile_work(body)
        work.memory.free(work.memory.buffers[0])
        with pytest.raises(Trap) as caught:
            execute(work)
        assert caught.value.record.kind is TrapKind.FREED
        assert caught.value.record.key in oracle.all_traps(work)


def test_who_has_returned_may_count_as_arrived() -> None:
    body = "cmp_lt_u32 $c0, $s1, 7\n cbr $c0, @out\n barrier\n st_global_u32 $s2, [$d4]"
    work = hostile_work(body, exited_arrive=True)
    execute(work)
    words = work.memory.buffers[0].view("uint32").reshape(-1, GROUP)
    assert (words[:, 7:] == 3).all()
    assert (words[:, :7] < 64).all()
    with pytest.raises(Trap) as caught:
        execute(hostile_work(body))
    assert caught.value.record.kind is TrapKind.DIVERGENT_BARRIER


ENDLESS = {
    "loop": "@top:\n add_u32 $s9, $s9, 1\n br @top",
    "some lanes": "@top:\n add_u32 $s9, $s9, 1\n cmp_ne_u32 $c0, $s0, 40\n cbr $c0, @out\n br @top",
    "stores": "@top:\n add_u32 $s9, $s9, 1\n st_global_u32 $s9, [$d4]\n br @top",
    "barrier": "@top:\n barrier\n add_u32 $s9, $s9, 1\n br @top",
    "barrier and stores": "@top:\n barrier\n st_global_u32 $s9, [$d4]\n"
    " add_u32 $s9, $s9, 1\n br @top",
    "nested": "@top:\n mov_u32 $s9, 3\n@inner:\n sub_u32 $s9, $s9, 1\n cmp_ne_u32 $c0, $s9, 0\n"
    " cbr $c0, @inner\n br @top",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_kernel_exhausts_its_budget(name: str) -> None:
    work = hostile_work(ENDLESS[name], budget=2000)
    assert not depends_on_schedule(work.kernel)
    with pytest.raises(Trap) as caught:
        execute(work)
    # The interpreter may have found that nothing ever changes, which is a better answer.
    record = caught.value.record
    assert record.kind in (TrapKind.BUDGET, TrapKind.LIVELOCK)
    spent = {(group, local) for kind, _, group, local in oracle.all_traps(work)}
    assert (record.group, record.local) in spent


# --- NaNs

NANS = np.array(
    [0x7FC00000, 0xFFC00000, 0x7FC00001, 0xFFFFFFFF, 0x7F800001, 0xFF800001, 0x7FA5A5A5,
     0x3F800000, 0x80000000, 0x7F800000, 0xFF800000, 0x00000001, 0xBF800000, 0],
    np.uint32,
)  # fmt: skip
"""Quiet and signalling NaNs of both signs with payloads, and some numbers."""

NAN_BODIES = {
    "bits move": "mov_u32 $s3, $s1",
    "sign": "neg_f32 $s3, $s1\n abs_f32 $s4, $s3\n xor_u32 $s3, $s3, $s4",
    "arithmetic": "add_f32 $s3, $s1, $s2",
    "sign of arithmetic": "mul_f32 $s3, $s1, $s2\n neg_f32 $s3, $s3",
    "payload chosen": "cmp_lt_u32 $c0, $s0, 50\n select_f32 $s3, $c0, $s1, $s2",
    "arithmetic or payload": "add_f32 $s3, $s1, $s2\n cmp_lt_u32 $c0, $s0, 50\n"
    " select_f32 $s3, $c0, $s3, $s1",
    "arithmetic or arithmetic": "add_f32 $s3, $s1, $s2\n mul_f32 $s4, $s2, $s1\n"
    " cmp_lt_u32 $c0, $s0, 50\n select_f32 $s3, $c0, $s3, $s4",
    "phi of arithmetic and payload": "mov_u32 $s3, $s1\n cmp_lt_u32 $c0, $s0, 50\n"
    " cbr $c0, @a\n sub_f32 $s3, $s1, $s2\n@a:",
    "phi of arithmetic": "mul_f32 $s3, $s1, $s2\n cmp_lt_u32 $c0, $s0, 50\n cbr $c0, @a\n"
    " sub_f32 $s3, $s1, $s2\n@a:",
    "phi of arithmetic and a number": "mov_u32 $s3, 0x3f800000\n cmp_lt_u32 $c0, $s0, 50\n"
    " cbr $c0, @a\n sub_f32 $s3, $s1, $s2\n@a:",
    "phi of arithmetic and a constant NaN": "mov_u32 $s3, 0x7fc00123\n cmp_lt_u32 $c0, $s0, 50\n"
    " cbr $c0, @a\n sub_f32 $s3, $s1, $s2\n@a:",
    "sum in a loop": "mov_u32 $s3, 0\n mov_u32 $s4, 3\n@a:\n add_f32 $s3, $s3, $s1\n"
    " sub_u32 $s4, $s4, 1\n cmp_ne_u32 $c0, $s4, 0\n cbr $c0, @a",
    "payload through a loop": "mov_u32 $s3, $s1\n and_u32 $s4, $s0, 3\n@a:\n"
    " cmp_eq_u32 $c0, $s4, 0\n cbr $c0, @b\n mul_f32 $s3, $s3, $s2\n sub_u32 $s4, $s4, 1\n"
    " br @a\n@b:",
    "minimum": "min_f32 $s3, $s1, $s2\n max_f32 $s4, $s2, $s1\n mad_u32 $s3, $s3, 3, $s4",
    "fused": "fma_f32 $s3, $s1, $s2, $s1",
    "wide": "cvt_f64_f32 $d5, $s1\n add_f64 $d6, $d5, 1.0\n cvt_f32_f64 $s3, $d6\n"
    " shr_u64 $d6, $d6, 20\n cvt_u32_u64 $s4, $d6\n xor_u32 $s3, $s3, $s4",
    "root": "sqrt_f32 $s3, $s1\n rsqrt_f32 $s4, $s2\n mad_u32 $s3, $s3, 3, $s4",
    "functions": "sin_f32 $s3, $s1\n exp2_f32 $s4, $s2\n mad_u32 $s3, $s3, 3, $s4",
    "round": "floor_f32 $s3, $s1\n rint_f32 $s4, $s2\n mad_u32 $s3, $s3, 3, $s4",
    "through group memory": "mul_u32 $s4, $s9, 4\n mul_f32 $s5, $s1, $s2\n"
    " st_group_f32 $s5, [tile+$s4]\n barrier\n xor_u32 $s4, $s4, 4\n ld_group_f32 $s3, [tile+$s4]",
    "across a barrier": "mul_f32 $s3, $s1, $s2\n barrier\n cmp_lt_u32 $c0, $s0, 50\n"
    " cbr $c0, @a\n mov_u32 $s3, $s1\n@a:\n barrier",
    "uniform": "ld_global_f32 $s3, [$d1+16]\n ld_global_f32 $s4, [$d1+20]\n"
    " add_f32 $s5, $s3, $s4\n cmp_eq_u32 $c0, $s5, 3\n select_f32 $s3, $c0, $s3, $s5",
    "through an atomic": "sub_f32 $s4, $s1, $s2\n atomic_exch_global_u32 $s5, [$d4], $s4\n"
    " ld_global_u32 $s3, [$d4]",
    "compared": "add_f32 $s4, $s1, $s2\n cmp_ne_f32 $c0, $s4, $s4\n cmp_ltu_f32 $c1, $s4, $s1\n"
    " cvt_u32_b1 $s3, $c0\n cvt_u32_b1 $s4, $c1\n mad_u32 $s3, $s3, 2, $s4",
    "seen as an integer": "add_f32 $s4, $s1, $s2\n mov_u32 $s5, $s4\n add_u32 $s3, $s5, 1",
    "as a base": "sub_f32 $s4, $s1, $s1\n and_u32 $s4, $s4, 3\n mul_u32 $s4, $s4, 4\n"
    " ld_group_f32 $s3, [tile+$s4]",
}


@pytest.mark.parametrize("name", NAN_BODIES)
def test_nans_have_the_oracles_bits(name: str) -> None:
    text = f"""
        kernel nans(global f32* %a, global f32* %b, global u32* %out) {{
            .group f32 tile[256]
            workitemflatabsid_u32 $s0
            workitemflatid_u32 $s9
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%a]
            mad_u64 $d2, $d0, 4, $d1
            ld_global_f32 $s1, [$d2]
            ld_kernarg_u64 $d3, [%b]
            mad_u64 $d4, $d0, 4, $d3
            ld_global_f32 $s2, [$d4]
            {NAN_BODIES[name]}
            ld_kernarg_u64 $d7, [%out]
            mad_u64 $d7, $d0, 4, $d7
            st_global_u32 $s3, [$d7]
            ret
        }}"""
    a, b = np.repeat(NANS, len(NANS)), np.tile(NANS, len(NANS))
    args = [a.view(np.float32), b.view(np.float32), np.zeros(a.size, np.uint32)]
    same(text, args, items=a.size, group_size=98)


# --- corners of memory

TYPES = ["u8", "s8", "u16", "s16", "u32", "s32", "f32", "u64", "s64", "f64"]


@dataclass(frozen=True)
class Place:
    """How an address of element number $s0 is spelled, {size} bytes each; `lanes` of 40."""

    segment: str
    lines: str
    address: str


PLACES = {
    "wide": Place("global", "cvt_u64_u32 $d2, $s0\n mad_u64 $d2, $d2, {size}, $d1", "[$d2]"),
    "shifted": Place("global", "cvt_u64_u32 $d2, $s0\n mad_u64 $d2, $d2, {size}, $d1", "[$d2+8]"),
    "scaled in 32 bits": Place(
        "global", "mul_u32 $s3, $s0, {size}\n cvt_u64_u32 $d2, $s3\n add_u64 $d2, $d2, $d1", "[$d2]"
    ),
    "reversed": Place(
        "global", "sub_u32 $s3, 63, $s0\n cvt_u64_u32 $d2, $s3\n mad_u64 $d2, $d2, {size}, $d1",
        "[$d2]",
    ),
    "strided": Place(
        "global", "mul_u32 $s3, $s0, 3\n and_u32 $s3, $s3, 63\n cvt_u64_u32 $d2, $s3\n"
        " mad_u64 $d2, $d2, {size}, $d1", "[$d2]",
    ),
    "every third": Place(
        "global", "cvt_u64_u32 $d2, $s1\n mul_u64 $d2, $d2, 3\n mad_u64 $d2, $d2, {size}, $d1",
        "[$d2]",
    ),
    "one": Place("global", "add_u64 $d2, $d1, 16", "[$d2+8]"),
    "group run": Place("group", "mul_u32 $s3, $s1, {size}", "[tile+$s3]"),
    "group strided": Place("group", "mul_u32 $s3, $s1, 24", "[tile+$s3]"),
    "group one": Place("group", "mov_u32 $s3, 0", "[tile+8]"),
    "private": Place("private", "and_u32 $s3, $s0, 3\n mul_u32 $s3, $s3, 8", "[own+$s3]"),
    "private one": Place("private", "nop", "[own+8]"),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_every_type_travels_by_every_way(place: str) -> None:
    """Store a type, load it and its neighbours as it and as bytes; the last warp is not full."""
    how = PLACES[place]
    for type_ in TYPES:
        size = int(type_[1:]) // 8
        cls = "$d" if size == 8 else "$s"
        text = f"""
            kernel types(global u64* %x, global u64* %in, global u64* %out) {{
                .group u64 tile[128]
                .private u64 own[4]
                workitemflatabsid_u32 $s0
                workitemflatid_u32 $s1
                cvt_u64_u32 $d0, $s0
                ld_kernarg_u64 $d1, [%x]
                ld_kernarg_u64 $d3, [%in]
                mad_u64 $d3, $d0, 8, $d3
                ld_global_u64 $d4, [$d3]
                cvt_u32_u64 $s4, $d4
                {how.lines.format(size=size)}
                ld_{how.segment}_{type_} {cls}5, {how.address}
                cvt_u64_u32 $d6, $s5
                add_u64 $d5, $d5, $d6
                barrier
                st_{how.segment}_{type_} {cls}4, {how.address}
                barrier
                ld_{how.segment}_u8 $s7, {how.address}
                cvt_u64_u32 $d7, $s7
                mad_u64 $d5, $d7, 3, $d5
                ld_kernarg_u64 $d8, [%out]
                mad_u64 $d8, $d0, 8, $d8
                st_global_u64 $d5, [$d8]
                ret
            }}"""
        rng = np.random.default_rng(size)
        x, data = (rng.integers(0, 1 << 64, 128, np.uint64) for _ in range(2))
        if place.endswith("one") and how.segment != "private":
            data[:] = data[0]  # all lanes store one value: the order between warps is nobody's
        if place in ("every third", "strided"):
            # Within a workgroup all places differ.
            same(text, [x, data, np.zeros(40, np.uint64)], items=21, group_size=21)
        elif place == "one" or place == "group one":
            x[:] = data[0]
            same(text, [x, data, np.zeros(40, np.uint64)], items=21, group_size=21)
        else:
            same(text, [x, data, np.zeros(40, np.uint64)], items=40, group_size=40)
