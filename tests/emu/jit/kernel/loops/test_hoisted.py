"""Loops of warps whose accesses are tested once, before the loop, against the oracle."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.oracle import oracle
from simtlab.emu.traps import Trap, TrapKind

from .....quick import examples
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_left, assert_as_oracle

ITEMS = 64
ROW = 70
ROWS = 5
ELEMENTS = ROW * ROWS
TOP = 0xFFFF_FFFF

ACCESSES = {
    # name: (before the loop, in the loop; $s8 is the counter)
    "a pointer that steps": ("mov_u64 $d5, $d2", "ld_global_u32 $s5, [$d5]\nadd_u64 $d5, $d5, 4"),
    "a pointer that steps back": (
        f"add_u64 $d5, $d2, {4 * ELEMENTS - 4}",
        "ld_global_u32 $s5, [$d5]\nsub_u64 $d5, $d5, 4",
    ),
    "a pointer that steps by a row, with a lane each": (
        "cvt_u64_u32 $d5, $s0\nmad_u64 $d5, $d5, 4, $d2\nmov_u64 $d6, {row_bytes}",
        "ld_global_u32 $s5, [$d5]\nadd_u64 $d5, $d5, $d6",
    ),
    "the counter as index": (
        "nop",
        "cvt_u64_u32 $d5, $s8\nmad_u64 $d5, $d5, 4, $d2\nld_global_u32 $s5, [$d5]",
    ),
    "the counter and neighbours of it": (
        "nop",
        """cvt_u64_u32 $d5, $s8
        mad_u64 $d5, $d5, 4, $d2
        ld_global_u32 $s5, [$d5+8]
        ld_global_u32 $s6, [$d5-4]
        add_u32 $s5, $s5, $s6""",
    ),
    "a signed counter": (
        "nop",
        """cvt_s64_s32 $d5, $s8
        shl_s64 $d5, $d5, 2
        add_u64 $d5, $d5, $d2
        ld_global_u32 $s5, [$d5]""",
    ),
    "a row's element of the lane": (
        "nop",
        """mad_u32 $s6, $s8, {row}, $s0
        cvt_u64_u32 $d5, $s6
        mad_u64 $d5, $d5, 4, $d2
        ld_global_u32 $s5, [$d5]""",
    ),
    "an index that may wrap around": (
        "ld_kernarg_u32 $s9, [%far]",
        """add_u32 $s6, $s8, $s9
        cvt_u64_u32 $d5, $s6
        mad_u64 $d5, $d5, 4, $d2
        ld_global_u32 $s5, [$d5]""",
    ),
    "lanes whose index may wrap around": (
        "ld_kernarg_u32 $s9, [%far]",
        """add_u32 $s6, $s8, $s9
        add_u32 $s6, $s6, $s0
        cvt_u64_u32 $d5, $s6
        mad_u64 $d5, $d5, 4, $d2
        ld_global_u32 $s5, [$d5]""",
    ),
    "a store of the lane": (
        "nop",
        """mad_u32 $s6, $s8, {row}, $s0
        cvt_u64_u32 $d5, $s6
        mad_u64 $d5, $d5, 4, $d3
        mul_u32 $s5, $s8, $s0
        st_global_u32 $s5, [$d5]""",
    ),
    "bytes": (
        "nop",
        """mul_u32 $s6, $s8, {row}
        add_u32 $s6, $s6, $s0
        cvt_u64_u32 $d5, $s6
        add_u64 $d5, $d5, $d2
        ld_global_u8 $s5, [$d5]""",
    ),
    "a step of the launch": (
        "ld_kernarg_u32 $s9, [%far]\ncvt_u64_u32 $d6, $s9\nmov_u64 $d5, $d2",
        "ld_global_u32 $s5, [$d5]\nadd_u64 $d5, $d5, $d6",
    ),
    "private memory": (
        "nop",
        "shl_u32 $s6, $s8, 2\nst_private_u32 $s0, [own+$s6]\nld_private_u32 $s5, [own+$s6]",
    ),
    "group memory": (
        "nop",
        "shl_u32 $s6, $s8, 2\nst_group_u32 $s8, [all+$s6]\nld_group_u32 $s5, [all+$s6]",
    ),
    "neighbours in group memory": (
        "nop",
        """mad_u32 $s6, $s8, 64, $s0
        shl_u32 $s6, $s6, 2
        st_group_u32 $s8, [lanes+$s6]
        ld_group_u32 $s5, [lanes+$s6]""",
    ),
}

REPEATS = {
    "lt": "add_u32 $s8, $s8, {by}\ncmp_lt_u32 $c0, $s8, $s3",
    "lt, signed": "add_s32 $s8, $s8, {by}\ncmp_lt_s32 $c0, $s8, $s3",
    "le": "add_u32 $s8, $s8, {by}\ncmp_le_u32 $c0, $s8, $s3",
    "ne": "add_u32 $s8, $s8, 1\ncmp_ne_u32 $c0, $s8, $s3",
    "gt": "sub_u32 $s8, $s8, {by}\ncmp_gt_u32 $c0, $s8, $s3",
    "ge, signed": "sub_s32 $s8, $s8, {by}\ncmp_ge_s32 $c0, $s8, $s3",
    "the bound first": "add_u32 $s8, $s8, {by}\ncmp_gt_u32 $c0, $s3, $s8",
}


@dataclass(frozen=True)
class Case:
    """A loop from `begin` to `end`, with one access in it."""

    access: str
    repeats: str = "lt"
    begin: int = 0
    end: int = ROWS
    by: int = 1
    far: int = 4
    row: int = ROW
    at_header: bool = False
    early: str = ""
    budget: int = 1 << 14
    items: int = ITEMS

    def work(self) -> Work:
        """The launch."""
        before, body = ACCESSES[self.access]
        numbers = {"row": self.row, "row_bytes": 4 * self.row}
        before, body = before.format(**numbers), body.format(**numbers)
        step = REPEATS[self.repeats].format(by=self.by)
        if self.at_header:
            add, _, test = step.partition("\n")
            begin = f"@top:\n{test}\ncbr $c0, @in\nbr @out\n@in:"
            loop = f"{begin}\n{body}\n{self._use()}\n{add}\nbr @top"
        else:
            loop = f"@top:\n{body}\n{self._use()}\n{step}\ncbr $c0, @top"
        text = f"""
        kernel walk(global u32* %x, global u32* %out, global u32* %sum,
                    u32 %begin, u32 %end, u32 %far) {{
            .private u32 own[{ROWS}]
            .group u32 all[{ROWS}]
            .group u32 lanes[{64 * ROWS}]
            workitemabsid_u32 $s0, 0
            ld_kernarg_u64 $d2, [%x]
            ld_kernarg_u64 $d3, [%out]
            ld_kernarg_u64 $d4, [%sum]
            ld_kernarg_u32 $s8, [%begin]
            ld_kernarg_u32 $s3, [%end]
            mov_u32 $s4, 1
            {before}
            {loop}
        @out:
            cvt_u64_u32 $d5, $s0
            mad_u64 $d4, $d5, 4, $d4
            st_global_u32 $s4, [$d4]
            ret
        }}"""
        x = np.random.default_rng(3).integers(0, 1000, ELEMENTS, np.uint32)
        out, total = np.zeros(ELEMENTS, np.uint32), np.zeros(ITEMS, np.uint32)
        numbers = [np.uint32(v & TOP) for v in (self.begin, self.end, self.far)]
        return make(
            text,
            [x, out, total, *numbers],
            items=self.items,
            group_size=ITEMS,
            budget=self.budget,
        )

    def _use(self) -> str:
        """What the loop does with what was loaded, and perhaps leaves after it."""
        return f"mad_u32 $s4, $s4, 3, $s5\n{self.early}"


UNIFORM_EXIT = "cmp_eq_u32 $c1, $s8, 5\ncbr $c1, @out"
DIVERGENT_EXIT = "and_u32 $s7, $s4, 7\ncmp_eq_u32 $c1, $s7, 5\ncbr $c1, @out"


def ends_at(case: Case) -> str | None:
    """The kind of the trap that ends a launch, if any."""
    try:
        execute(case.work())
    except Trap as trap:
        return trap.record.kind
    return None


def assert_same(case: Case) -> None:
    """The oracle's memory, or one of its traps."""
    work, expected = case.work(), case.work()
    records = oracle.run_past_traps(expected)
    if TrapKind.BUDGET in {r.key[0] for r in records}:
        # Native code charges an iteration by its header alone, and may meet what comes later.
        ends_at(case)
        return
    assert_as_left(work, expected, records)


def versions(case: Case) -> bool:
    """Whether the loop has a version without tests."""
    work = case.work()
    return "enter" in generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("at_header", [False, True])
def test_all_inside_and_one_past_the_end(access: str, at_header: bool) -> None:
    case = Case(access, begin=1, end=ROWS - 2, at_header=at_header)
    assert versions(case)
    assert_same(case)
    for end in (ROWS, ROWS + 1, ELEMENTS, ELEMENTS + 1):
        assert_same(replace(case, end=end))


@pytest.mark.parametrize("repeats", REPEATS)
@pytest.mark.parametrize("by", [1, 3])
def test_ways_to_count(repeats: str, by: int) -> None:
    down = repeats.startswith("g")
    for at_header in (False, True):
        for begin, end in (
            (0, 6),
            (1, 6),
            (5, 6),
            (6, 6),
            (7, 6),
            (0, ELEMENTS),
            (0, ELEMENTS + 1),
        ):
            if down:
                begin, end = end - 1, begin - 1
            case = Case("the counter as index", repeats, begin, end, by, at_header=at_header)
            assert versions(case)
            assert_same(case)


@pytest.mark.parametrize(
    ("repeats", "begin", "end"),
    [
        ("le", TOP - 2, TOP),  # never ends
        ("lt", TOP - 2, TOP),  # by 3 it passes the bound and begins anew
        ("ge, signed", 5, -(1 << 31)),
        ("lt, signed", -4, 3),
        ("ne", 3, 2),
    ],
)
def test_counters_that_wrap_around(repeats: str, begin: int, end: int) -> None:
    for access in ("the counter as index", "a signed counter"):
        assert_same(Case(access, repeats, begin, end, 3, budget=1 << 12))


@pytest.mark.parametrize(
    ("repeats", "begin", "end", "last"),
    [("lt", TOP - 7, TOP - 2, 0), ("le", TOP - 7, TOP - 3, 0), ("gt", 7, 2, TOP)],
)
def test_a_counter_that_wraps_around_past_its_bound(
    repeats: str, begin: int, end: int, last: int
) -> None:
    """So it passes the test a third time, and then loads from after the array."""
    access = "a pointer that steps by a row, with a lane each"
    leaves = f"cmp_eq_u32 $c1, $s8, {last}\ncbr $c1, @out"
    half = ELEMENTS // 2
    case = Case(access, repeats, begin, end, 4, row=half, at_header=True, early=leaves, items=1)
    assert versions(case)
    with pytest.raises(Trap):
        execute(case.work())
    assert_same(case)


@pytest.mark.parametrize("far", [TOP, TOP - 3, TOP - 70, 0, 1, 4, 1 << 31])
@pytest.mark.parametrize(
    "access",
    ["an index that may wrap around", "lanes whose index may wrap around", "a step of the launch"],
)
def test_sums_that_wrap_around(access: str, far: int) -> None:
    for begin, end in ((0, 4), (1, 6), (4, 7), (70, 75)):
        assert_same(Case(access, begin=begin, end=end, far=far))


@pytest.mark.parametrize("early", [UNIFORM_EXIT, DIVERGENT_EXIT])
@pytest.mark.parametrize("access", ["the counter as index", "a row's element of the lane"])
def test_loops_that_are_left_early(early: str, access: str) -> None:
    for end in (4, ROWS, ROWS + 3, ELEMENTS + 1):
        for at_header in (False, True):
            assert_same(Case(access, end=end, early=early, at_header=at_header))


@pytest.mark.parametrize("items", [1, 33])
def test_partial_warps(items: int) -> None:
    for access in ACCESSES:
        assert_same(Case(access, begin=1, end=ROWS - 1, items=items))


@pytest.mark.parametrize("budget", [40, 120, 400])
def test_the_budget_of_a_loop_that_is_charged_before(budget: int) -> None:
    """It ends a launch late by as much again at most, and never early."""
    cases = [Case("the counter as index", end=n, budget=budget) for n in range(1, 200, 7)]
    kinds = {case.end: ends_at(case) for case in cases}
    assert set(kinds.values()) == {None, TrapKind.BUDGET}
    for iterations, kind in kinds.items():
        if kind is None:
            assert 7 * iterations <= 2 * budget + 14
        else:
            assert 16 + 7 * iterations > budget


@examples(4, 25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    access=st.sampled_from(sorted(ACCESSES)),
    repeats=st.sampled_from(sorted(REPEATS)),
    begin=st.integers(-3, 12) | st.sampled_from([ELEMENTS - 3, TOP - 2, 1 << 31]),
    end=st.integers(-3, 12) | st.sampled_from([ELEMENTS, ELEMENTS + 1, TOP, 1 << 31]),
    by=st.integers(1, 3),
    far=st.integers(0, 16) | st.sampled_from([TOP - 5, TOP, 1 << 31, 4 * ROW]),
    at_header=st.booleans(),
    early=st.sampled_from(["", "", UNIFORM_EXIT, DIVERGENT_EXIT]),
    items=st.sampled_from([ITEMS, 40]),
)
def test_any_loops(**how: object) -> None:
    assert_same(Case(**how, budget=1 << 12))  # pyright: ignore[reportArgumentType]


def test_only_what_is_kept_is_read_before_a_loop() -> None:
    # The column is a difference, whose parts nothing else reads behind the branch.
    text = """
    kernel k(u32 %wide, global u8* %source, global u32* %out) {
        ld_kernarg_u32 $s3, [%wide]
        workitemflatabsid_u32 $s5
        div_u32 $s1, $s5, $s3
        mul_u32 $s9, $s1, $s3
        sub_u32 $s0, $s5, $s9
        ld_kernarg_u64 $d1, [%source]
        mov_u32 $s8, 0
        mov_u32 $s20, 0
    @loop:
        mad_u32 $s6, $s20, $s3, $s0
        cvt_u64_u32 $d0, $s6
        add_u64 $d2, $d1, $d0
        ld_global_u8 $s9, [$d2]
        mad_u32 $s8, $s8, 3, $s9
        add_u32 $s20, $s20, 1
        cmp_lt_s32 $c0, $s20, 5
        cbr $c0, @loop
        workitemflatabsid_u32 $s5
        cvt_u64_u32 $d0, $s5
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s8, [$d1]
        ret
    }"""

    def work() -> Work:
        source = np.random.default_rng(1).integers(0, 256, 5 * 24, np.uint8)
        return make(text, [24, source, np.zeros(192, np.uint32)], items=192, group_size=64)

    assert_as_oracle(work(), work())
