"""Warps inside of a grid, which no edge concerns, and those at edges, against the oracle."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap
from simtlab.testing import run_case

from .....fuzz import grids
from .....quick import count
from ....support.guarded import LOAD_X, guarded, store_y
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import trap_alike

WIDE, HIGH = 160, 3

CLAMPED = """
    sub_u32 $s4, $s2, 1
    sub_s32 $s5, $s0, 1
    max_s32 $s5, $s5, 0
    add_u32 $s6, $s0, 1
    min_u32 $s6, $s6, $s4
"""

CHOSEN = """
    sub_u32 $s4, $s2, 1
    cmp_eq_u32 $c0, $s0, 0
    sub_u32 $s5, $s0, 1
    select_u32 $s5, $c0, $s4, $s5
    add_u32 $s6, $s0, 1
    cmp_ge_u32 $c0, $s6, $s2
    select_u32 $s6, $c0, 0, $s6
"""

AROUND = """
    add_u32 $s5, $s0, $s2
    sub_u32 $s5, $s5, 1
    rem_u32 $s5, $s5, $s2
    add_u32 $s6, $s0, 1
    rem_s32 $s6, $s6, $s2
"""

SKIPPED = """
    mov_u32 $s5, $s0
    mov_u32 $s6, $s0
    cmp_eq_u32 $c0, $s0, 0
    cbr $c0, @first
    sub_u32 $s5, $s0, 1
@first:
    sub_u32 $s4, $s2, 1
    cmp_lt_u32 $c0, $s0, $s4
    cbr $c0, @second
    br @third
@second:
    add_u32 $s6, $s0, 1
@third:
"""

PLAIN = """
    add_u32 $s5, $s0, {left}
    add_u32 $s6, $s0, {right}
    cmp_eq_u32 $c1, $s0, 77
    select_u32 $s20, $c1, 5, $s20
"""

IN_A_LOOP = """
    mov_u32 $s7, 0xffffffff
    mov_u32 $s6, $s0
    mov_u32 $s5, 0
@next:
    add_u32 $s8, $s0, $s7
    max_s32 $s8, $s8, 0
    sub_u32 $s4, $s2, 1
    min_u32 $s8, $s8, $s4
    mad_u32 $s8, $s1, $s2, $s8
    cvt_u64_u32 $d0, $s8
    ld_kernarg_u64 $d1, [%source]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s8, [$d1]
    mad_u32 $s20, $s20, 3, $s8
    add_u32 $s7, $s7, 1
    cmp_lt_s32 $c0, $s7, 2
    cbr $c0, @next
"""

PLACES = """
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
"""

NUMBERED = """
    workitemflatabsid_u32 $s9
    rem_u32 $s0, $s9, $s2
    div_u32 $s1, $s9, $s2
"""

LOCAL = """
    workgroupid_u32 $s9, 0
    workitemid_u32 $s0, 0
    mad_u32 $s0, $s9, 32, $s0
    workgroupid_u32 $s9, 1
    workitemid_u32 $s1, 1
    mad_u32 $s1, $s9, 1, $s1
"""


def load(register: str, offset: int = 0) -> str:
    return f"""
    mad_u32 $s8, $s1, $s2, {register}
    cvt_u64_u32 $d0, $s8
    ld_kernarg_u64 $d1, [%source]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s8, [$d1{offset:+d}]
    mad_u32 $s20, $s20, 3, $s8
"""


def kernel(neighbours: str, places: str = PLACES, offset: int = 0) -> str:
    return f"""
    kernel grid(u32 %wide, u32 %high, global u32* %source, global u32* %out) {{
        ld_kernarg_u32 $s2, [%wide]
        ld_kernarg_u32 $s3, [%high]
        {places}
        cmp_ge_u32 $c0, $s0, $s2
        cmp_ge_u32 $c1, $s1, $s3
        or_b1 $c0, $c0, $c1
        cbr $c0, @done
        mov_u32 $s20, 7
        {neighbours}
        {load("$s5", offset)}
        {load("$s6")}
        mad_u32 $s8, $s1, $s2, $s0
        cvt_u64_u32 $d0, $s8
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s20, [$d1]
    @done:
        ret
    }}"""


def work_of(
    text: str,
    *,
    wide: int = WIDE,
    high: int = HIGH,
    items: tuple[int, ...] = (WIDE, HIGH),
    group: int | tuple[int, ...] = (32, 1),
    room: int | None = None,
) -> Work:
    room = WIDE * HIGH if room is None else room
    source = np.random.default_rng(3).integers(0, 1 << 32, room, np.uint32)
    out = np.zeros(wide * high, np.uint32)
    return make(text, [wide, high, source, out], items=items, group_size=group)


def has_interior(work: Work) -> bool:
    text = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    return "\ninterior:" in text or "\nrun_head:" in text


def assert_same(text: str, **how: object) -> None:
    """The oracle's memory, or one of its traps."""
    work, expected = (work_of(text, **how) for _ in "ab")  # pyright: ignore[reportArgumentType]
    assert has_interior(work)
    assert_as_oracle(work, expected)


EDGES = [CLAMPED, CHOSEN, AROUND, SKIPPED, IN_A_LOOP]


@pytest.mark.parametrize("neighbours", EDGES)
@pytest.mark.parametrize("places", [PLACES, NUMBERED, LOCAL])
def test_edges_of_every_kind(neighbours: str, places: str) -> None:
    assert_same(kernel(neighbours, places))


@pytest.mark.parametrize("neighbours", EDGES)
@pytest.mark.parametrize(("wide", "items"), [(70, 96), (33, 64), (96, 160), (31, 64), (129, 160)])
def test_grids_that_end_within_a_warp(neighbours: str, wide: int, items: int) -> None:
    assert_same(kernel(neighbours), wide=wide, items=(items, HIGH))


@pytest.mark.parametrize("items", [(150, 2), (97, 3)])
def test_workgroups_that_are_not_whole(items: tuple[int, int]) -> None:
    assert_same(kernel(CLAMPED), wide=items[0], items=items, group=64)


@pytest.mark.parametrize("items", [(160, 3), (96, 4), (150, 5)])
@pytest.mark.parametrize("group", [(16, 16), (8, 8), (4, 2), (16, 2, 1)])
def test_workgroups_whose_shape_no_work_item_sees(
    items: tuple[int, int], group: tuple[int, ...]
) -> None:
    for room in (None, items[0] * 2 + 7):
        text = kernel(CLAMPED)
        work, expected = (
            work_of(text, wide=items[0], high=items[1], items=items, group=group,
                    room=room or items[0] * items[1])
            for _ in "ab"
        )  # fmt: skip
        assert assert_as_oracle(work, expected) == (room is not None)


@pytest.mark.parametrize("room", [WIDE * HIGH - 1, WIDE * HIGH - 40, WIDE + 63, WIDE + 64, 1, 31])
@pytest.mark.parametrize("neighbours", [CLAMPED, AROUND, IN_A_LOOP])
def test_a_buffer_that_is_too_small(neighbours: str, room: int) -> None:
    assert_same(kernel(neighbours), room=room)


@pytest.mark.parametrize("offset", [4, -4, 2, -640, 8388604, -8388608, -8])
def test_constants_beside_an_index(offset: int) -> None:
    assert_same(kernel(CLAMPED, offset=offset), room=WIDE * HIGH + 1)


@pytest.mark.parametrize(
    ("left", "right"),
    [(0, 1), (0xFFFFFFFF, 0), (0, 0xFFFFFFFF), (0x80000000, 0), (0xFFFFFF00, 1), (3, 0x7FFFFFFF)],
)
def test_indices_that_wrap_around(left: int, right: int) -> None:
    assert_same(kernel(PLAIN.format(left=left, right=right)), room=WIDE * HIGH + 4)


FAR_REST = """
    rem_u32 $s5, $s0, 64
    add_u32 $s5, $s5, 0x7fffffc1
    cvt_s64_s32 $d0, $s5
    sub_u64 $d0, $d0, 0x7fffffc1
    ld_kernarg_u64 $d1, [%source]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s8, [$d1]
    mad_u32 $s20, $s20, 3, $s8
    mov_u32 $s5, $s0
    mov_u32 $s6, $s0
"""
"""A remainder of 63 is one too many: the sum is the least number with a sign."""


@pytest.mark.parametrize("places", [PLACES, NUMBERED])
def test_a_remainder_may_be_one_less_than_its_divisor(places: str) -> None:
    text = kernel(FAR_REST, places)
    assert_same(text, wide=63, items=(63, HIGH))
    work, expected = (work_of(text) for _ in "ab")
    assert assert_as_oracle(work, expected)


@pytest.mark.parametrize(("wide", "high"), [(0x80000001, 2), (0xFFFFFFFF, 3), (1, 3), (0, 0)])
def test_sizes_that_no_grid_has(wide: int, high: int) -> None:
    text = kernel(CLAMPED)
    source, out = np.zeros(500, np.uint32), np.zeros(500, np.uint32)
    work, expected = (
        make(text, [wide, high, source.copy(), out.copy()], items=(160, 3), group_size=(32, 1))
        for _ in "ab"
    )
    assert has_interior(work)
    assert_as_oracle(work, expected)


def test_a_width_of_zero_divides_by_zero() -> None:
    source, out = np.zeros(500, np.uint32), np.zeros(500, np.uint32)
    args = [0, 3, source, out]
    trap_alike(kernel(AROUND, NUMBERED), args, items=(160, 3), group_size=(32, 1))


FIVE_POINTS = """
    kernel k(u32 %wide, u32 %high, global u32* %source, global u32* %out) {
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        ld_kernarg_u32 $s2, [%wide]
        ld_kernarg_u32 $s3, [%high]
        sub_u32 $s4, $s2, 1
        sub_u32 $s5, $s3, 1
        cmp_eq_u32 $c0, $s0, 0
        cmp_ge_u32 $c1, $s0, $s4
        or_b1 $c0, $c0, $c1
        cmp_eq_u32 $c1, $s1, 0
        or_b1 $c0, $c0, $c1
        cmp_ge_u32 $c1, $s1, $s5
        or_b1 $c0, $c0, $c1
        cbr $c0, @done
        mad_u32 $s6, $s1, $s2, $s0
        cvt_u64_u32 $d0, $s6
        ld_kernarg_u64 $d1, [%source]
        mad_u64 $d1, $d0, 4, $d1
        cvt_u64_u32 $d2, $s2
        shl_u64 $d2, $d2, 2
        sub_u64 $d3, $d1, $d2
        add_u64 $d4, $d1, $d2
        ld_global_u32 $s7, [$d1-4]
        ld_global_u32 $s8, [$d1+4]
        ld_global_u32 $s9, [$d3]
        ld_global_u32 $s10, [$d4]
        add_u32 $s7, $s7, $s8
        add_u32 $s7, $s7, $s9
        add_u32 $s7, $s7, $s10
        ld_global_u32 $s8, [$d1]
        div_u32 $s7, $s7, $s8
        ld_kernarg_u64 $d5, [%out]
        mad_u64 $d5, $d0, 4, $d5
        st_global_u32 $s7, [$d5]
    @done:
        ret
    }"""


@pytest.mark.parametrize("group", [(64, 1), (32, 4)])
@pytest.mark.parametrize("wide", [17, 66, 129, 143])
@pytest.mark.parametrize("zeros", [[], [1], [15, 14], [-17, -2]])
def test_warps_at_edges_run_vector_by_vector(
    group: tuple[int, int], wide: int, zeros: list[int]
) -> None:
    """The lane of a trap is counted from the warp's first vector."""
    high = 5
    source = np.random.default_rng(wide).integers(1, 1000, (high, wide)).astype(np.uint32)
    source[3, zeros] = 0
    work, expected = (
        make(
            FIVE_POINTS,
            [wide, high, source.flatten(), np.zeros(high * wide, np.uint32)],
            items=(wide, high),
            group_size=group,
        )
        for _ in "ab"
    )
    if group == (64, 1):
        assert "\nedge_head:" in generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert assert_as_oracle(work, expected) == bool(zeros)


@pytest.mark.parametrize("identity", ["laneid", "waveid", "wavesize", "workitemflatid"])
@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("group", [64, 256])
def test_warps_at_edges_are_those_of_the_launch(identity: str, width: int, group: int) -> None:
    text = FIVE_POINTS.replace("add_u32 $s7, $s7, $s10", f"{identity}_u32 $s7")

    def work() -> Work:
        args = [143, 3, np.ones(3 * 143, np.uint32), np.zeros(3 * 143, np.uint32)]
        return make(text, args, items=(143, 3), group_size=(group, 1), width=width)

    assert not assert_as_oracle(work(), work())


def sum_of(first: str, n: int) -> str:
    """Add n elements of the array at $d1 to $s3, from the one that a register numbers."""
    return "\n".join(
        f"""
        add_u32 $s6, {first}, {i}
        cvt_u64_u32 $d3, $s6
        mad_u64 $d3, $d3, 4, $d1
        ld_global_u32 $s6, [$d3]
        add_u32 $s3, $s3, $s6"""
        for i in range(n)
    )


MIXED = "mul_u32 $s2, $s2, 0x9e3779b1\n shr_u32 $s3, $s2, 15\n xor_u32 $s2, $s2, $s3\n"

WORK = {
    "nothing": ("", False),
    "three instructions": (MIXED, False),
    "nine instructions": (MIXED * 3, True),
    "seventy-five instructions": (MIXED * 25, False),
    "a short loop": (f"mov_u32 $s4, 5\n@a:\n {MIXED} sub_u32 $s4, $s4, 1\n"
    " cmp_ne_u32 $c0, $s4, 0\n cbr $c0, @a", True),
    "a long loop": (f"mov_u32 $s4, 50\n@a:\n {MIXED} sub_u32 $s4, $s4, 1\n"
    " cmp_ne_u32 $c0, $s4, 0\n cbr $c0, @a", False),
    "a loop of unknown length": (f"mov_u32 $s4, $s1\n@a:\n {MIXED} sub_u32 $s4, $s4, 1\n"
    " cmp_ne_u32 $c0, $s4, 0\n cbr $c0, @a", False),
}  # fmt: skip
"""What is computed between one load and one store, and whether a version gains."""


@pytest.mark.parametrize("name", WORK)
def test_kernels_of_two_accesses_have_a_version_if_they_compute_much(name: str) -> None:
    body, gains = WORK[name]
    text = guarded(f"{LOAD_X}\n{body}\n{store_y('$s2')}")

    def work() -> Work:
        x, y = np.arange(300, dtype=np.uint32), np.zeros(300, np.uint32)
        return make(text, [300, x, y], items=300, group_size=64)

    assert has_interior(work()) is gains
    assert_as_oracle(work(), work())


INDICES = {
    "squares": "mul_u32 $s2, $s0, $s0",
    "every third": "mul_u32 $s2, $s0, 3",
    "backwards": "sub_u32 $s2, 255, $s0",
    "pairs": "shr_u32 $s2, $s0, 1",
    "swapped": "xor_u32 $s2, $s0, 1",
    "columns of a triangle": "and_u32 $s2, $s0, 31\n mul_u32 $s2, $s2, $s2",
}


@pytest.mark.parametrize("place", INDICES.values(), ids=INDICES)
def test_places_that_are_inside_and_no_neighbours(place: str) -> None:
    """An access that is inside still has to look whether its lanes are neighbours."""
    neighbours = sum_of("$s5", 4)
    text = f"""
    kernel mixed(global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%y]
        {place}
        cvt_u64_u32 $d3, $s2
        mad_u64 $d3, $d3, 4, $d1
        ld_global_u32 $s3, [$d3]
        max_u32 $s5, $s0, 1
        {neighbours}
        cvt_u64_u32 $d3, $s0
        mad_u64 $d3, $d3, 4, $d2
        st_global_u32 $s3, [$d3]
        ret
    }}"""
    x, y = np.arange(1 << 16, dtype=np.uint32) * 7, np.zeros(256, np.uint32)
    work = make(text, [x, y], items=256, group_size=64)
    assert has_interior(work)
    execute(work)
    lane = np.arange(256)
    places = {
        "squares": lane * lane, "every third": 3 * lane, "backwards": 255 - lane,
        "pairs": lane // 2, "swapped": lane ^ 1, "columns of a triangle": (lane & 31) ** 2,
    }  # fmt: skip
    name = next(name for name, text in INDICES.items() if text == place)
    first = np.maximum(lane, 1)
    expected = 7 * (places[name] + sum(first + i for i in range(4)))
    assert (work.memory.buffers[1].host.view(np.uint32)[:256] == expected).all()


def test_versions_share_the_memory_of_a_workgroup() -> None:
    neighbours = sum_of("$s0", 5)
    text = f"""
    kernel counted(global u32* %x, global u32* %y) {{
        .group u32 counts[64]
        workitemabsid_u32 $s0, 0
        workitemid_u32 $s1, 0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%y]
        shl_u32 $s1, $s1, 2
        mov_u32 $s7, 5
        atomic_add_group_u32 $s3, [counts+$s1], $s7
        atomic_add_group_u32 $s4, [counts+$s1], $s7
        mad_u32 $s3, $s4, 1000, $s3
        {neighbours}
        cvt_u64_u32 $d3, $s0
        mad_u64 $d3, $d3, 4, $d2
        st_global_u32 $s3, [$d3]
        ret
    }}"""
    x, y = np.arange(400, dtype=np.uint32), np.full(256, 9, np.uint32)
    work = make(text, [x, y], items=256, group_size=64)
    assert has_interior(work)
    execute(work)
    expected = 5 * 1000 + 5 * np.arange(256) + 10
    assert (work.memory.buffers[1].host.view(np.uint32)[:256] == expected).all()


def test_an_array_that_may_not_be_written_faults() -> None:
    work = work_of(kernel(CLAMPED))
    work.memory.buffers[1].writable = False
    with pytest.raises(Trap, match="read"):
        execute(work)


def test_random_grids() -> None:
    trapped, seeds = 0, count(4, 12)
    for seed in range(seeds):
        example = grids.draw(random.Random(seed))
        example.run()
        trapped += run_case(example.case, "jit")[2] is not None
    assert 0 < trapped < seeds
