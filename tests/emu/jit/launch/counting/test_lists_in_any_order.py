"""Lists of a workgroup, filled by atomics: their order does not show in counts, or it does."""

from __future__ import annotations

import random

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of

from ....support.counts import ORDER, REFUSED, WIDTHS, assert_equal, engines

ENGINES = ("jit", "interp")

APPEND = """
    atomic_add_group_u32 $s6, [count], $s5
    shl_u32 $s6, $s6, 2
    st_group_u32 $s4, [list+$s6]"""

GUARDED = """
    atomic_add_group_u32 $s6, [count], $s5
    cmp_ge_u32 $c0, $s6, 300
    cbr $c0, @next
    shl_u32 $s6, $s6, 2
    st_group_u32 $s4, [list+$s6]"""

PAIRS = """
    atomic_add_group_u32 $s6, [count], $s5
    mul_u32 $s6, $s6, 8
    st_group_u32 $s4, [list+$s6]
    xor_u32 $s7, $s4, 77
    st_group_u32 $s7, [list+$s6+4]"""

TEXT = """
kernel k(u32 %n, global u32* %x, global u32* %y) {{
    {memory}
    .private u32 own[2]
        workitemid_u32 $s0, 0
        workitemflatabsid_u32 $s1
        ld_kernarg_u32 $s2, [%n]
        ld_kernarg_u64 $d0, [%x]
        mov_u32 $s5, 1
        mov_u32 $s10, 0                     // sum
        mov_u32 $s20, 0                     // hash
        mov_u32 $s25, 0                     // round
    @round:
        mov_u32 $s3, 0
        {clear}
        barrier
        add_u32 $s3, $s1, $s25
    @fill:
        cmp_ge_u32 $c0, $s3, $s2
        cbr $c0, @filled
        cvt_u64_u32 $d1, $s3
        mad_u64 $d1, $d1, 4, $d0
        ld_global_u32 $s4, [$d1]
        and_u32 $s6, $s4, {mask}
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @next
        {append}
    @next:
        add_u32 $s3, $s3, 300
        {again}
    @filled:
        barrier
        ld_group_u32 $s11, [count]
        mov_u32 $s12, 0
        {before}
    @look:
        {test}
        {extra_exit}
        {factor} $s13, $s12, {shift}
        ld_group_u32 $s14, [list+$s13]
        {body}
    @looked:
        add_u32 $s10, $s10, $s14
        mul_u32 $s20, $s20, 5
        add_u32 $s20, $s20, $s14
        add_u32 $s12, $s12, 1
        br @look
    @seen:
        {after}
        {return_}
        ld_kernarg_u64 $d2, [%y]
        cvt_u64_u32 $d3, $s1
        mad_u64 $d2, $d3, 4, $d2
        st_global_u32 $s10, [$d2]
        ret
}}"""

BY_ELEMENT = """
        add_u32 $s15, $s14, $s0
        and_u32 $s15, $s15, {bits}
        cmp_lt_u32 $c0, $s15, 2
        cbr $c0, @looked
        add_u32 $s10, $s10, 3"""

TWICE = """
        barrier
        add_u32 $s25, $s25, 1
        cmp_lt_u32 $c0, $s25, 2
        cbr $c0, @round"""

DEFAULTS = {
    "memory": ".group u32 count[1]\n .group u32 list[900]",
    "clear": "st_group_u32 $s3, [count]",
    "mask": 3,
    "append": APPEND,
    "again": "br @fill",
    "before": "",
    "test": "cmp_ge_u32 $c0, $s12, $s11\n cbr $c0, @seen",
    "extra_exit": "",
    "factor": "shl_u32",
    "shift": 2,
    "body": BY_ELEMENT.format(bits=7),
    "after": "",
    "return_": "",
}

INNER = """
        and_u32 $s15, $s14, 3
        and_u32 $s16, $s0, 1
        add_u32 $s15, $s15, $s16
    @inner:
        cmp_eq_u32 $c0, $s15, 0
        cbr $c0, @looked
        sub_u32 $s15, $s15, 1
        add_u32 $s10, $s10, 1
        br @inner"""

BY_MEMORY = """
        and_u32 $s15, $s14, 127
        cvt_u64_u32 $d1, $s15
        mad_u64 $d1, $d1, 4, $d0
        ld_global_u32 $s15, [$d1]
        and_u32 $s15, $s15, $s0
        cmp_eq_u32 $c0, $s15, 0
        cbr $c0, @looked
        add_u32 $s10, $s10, $s15"""

SECOND = """
        ld_group_u32 $s15, [list+$s13+4]
        and_u32 $s15, $s15, $s0
        cmp_eq_u32 $c0, $s15, 0
        cbr $c0, @looked
        add_u32 $s10, $s10, $s15"""

BY_LANE = """
        cmp_lt_u32 $c1, $s0, 9
        cbr $c1, @looked
        add_u32 $s10, $s10, 1"""

BY_PLACE = """
        add_u32 $s15, $s12, $s14
        and_u32 $s15, $s15, $s0
        cmp_eq_u32 $c0, $s15, 0
        cbr $c0, @looked
        add_u32 $s10, $s10, $s15"""

BY_HASH = BY_PLACE.replace("$s12, $s14", "$s20, $s0")

BY_STORED = """
        ld_private_u32 $s15, [own]
        cmp_eq_u32 $c0, $s15, $s0
        cbr $c0, @looked
        and_u32 $s15, $s14, 3
        st_private_u32 $s15, [own]"""

BY_FLAG = """
        ld_private_u32 $s15, [own]
        cmp_eq_u32 $c0, $s15, 1
        cbr $c0, @looked
        and_u32 $s15, $s14, $s0
        cmp_eq_u32 $c0, $s15, 0
        cbr $c0, @looked
        st_private_u32 $s5, [own]"""

BREAK = """
        add_u32 $s15, $s14, $s0
        and_u32 $s15, $s15, 15
        cmp_eq_u32 $c0, $s15, 3
        cbr $c0, @seen"""

PAIRED: dict[str, object] = {"append": PAIRS, "factor": "mul_u32", "shift": 8}
ONE_EACH: dict[str, object] = {"again": "br @filled"}
BEFORE: dict[str, object] = {"memory": ".group u32 list[256]\n .group u32 count[1]", **ONE_EACH}

FIRST: dict[str, object] = {"memory": ".group u32 list[900]\n .group u32 count[1]"}

SAME: list[dict[str, object]] = [
    {},
    {"return_": TWICE},
    {"body": INNER},
    {"body": BY_MEMORY},
    {"body": BY_LANE + BY_ELEMENT.format(bits=3)},
    {**PAIRED, "body": SECOND},
    {"clear": ""},
    {"test": "cmp_lt_u32 $c0, $s12, $s11\n cbr $c0, @go\n br @seen\n@go:"},
    {"test": "cmp_eq_u32 $c0, $s11, $s12\n cbr $c0, @seen"},
    {"before": "cmp_lt_u32 $c0, $s0, 20\n cbr $c0, @seen"},
    {"after": "cmp_lt_u32 $c0, $s11, 30\n cbr $c0, @few\n add_u32 $s10, $s10, 1\n@few:"},
    BEFORE,
    {"append": GUARDED},
    {"append": GUARDED, "before": "min_u32 $s11, $s11, 300", "return_": TWICE},
    {"append": GUARDED, "memory": ".group u32 list[300]\n .group u32 count[1]"},
    FIRST,
    {**FIRST, "return_": TWICE},
]
"""What each element decides alone."""

OTHER: list[dict[str, object]] = [
    {"body": BY_PLACE},
    {"body": BY_HASH},
    {"body": BY_STORED},
    {"body": BY_FLAG},
    {"body": BREAK},
    {"after": "and_u32 $s15, $s20, $s0\n cmp_eq_u32 $c0, $s15, 0\n cbr $c0, @few\n@few:"},
    {"before": "add_u32 $s12, $s12, 1"},
    {"before": "and_u32 $s12, $s0, 1"},
    {"before": "min_u32 $s11, $s11, 20"},
    {"append": GUARDED, "before": "min_u32 $s11, $s11, 299"},
    {"append": GUARDED.replace("300", "$s4")},
    {"test": "add_u32 $s15, $s12, 2\n cmp_ge_u32 $c0, $s15, $s11\n cbr $c0, @seen"},
    {"test": "ld_group_u32 $s11, [count]\n cmp_ge_u32 $c0, $s12, $s11\n cbr $c0, @seen"},
    {"test": "cmp_gt_u32 $c0, $s12, $s11\n cbr $c0, @seen"},
    {"extra_exit": "cmp_gt_u32 $c0, $s12, $s0\n cbr $c0, @seen"},
    {"append": APPEND.replace("st_", "cmp_lt_u32 $c0, $s4, 50\n cbr $c0, @next\n st_")},
    {"append": APPEND + "\n cmp_eq_u32 $c0, $s6, 80\n cbr $c0, @next\n add_u32 $s10, $s10, 1"},
    {"append": APPEND.replace("$s4, [list", "$s6, [list")},
    {"append": APPEND, "shift": 3, "factor": "shl_u32"},
    {"clear": "mov_u32 $s3, 1\n st_group_u32 $s3, [count]"},
    {"clear": "st_group_u8 $s3, [count]", "return_": TWICE},
    {"after": "barrier\n st_group_u32 $s0, [list+16]"},
    {
        "body": "and_u32 $s15, $s12, 1\n cmp_eq_u32 $c0, $s15, 0\n cbr $c0, @looked\n"
        + BY_ELEMENT.format(bits=3)
    },
]
"""What shows in which order elements are."""


def text_of(parts: dict[str, object]) -> str:
    """Return a kernel with some parts of its own."""
    return TEXT.format(**{**DEFAULTS, **parts})


def counted_by(parts: dict[str, object], seed: int, width: int, *, size: int = 64) -> str:
    """Compare counts with the interpreter's; return what has counted."""
    x = np.random.default_rng(seed).integers(0, 128, 640).astype(np.uint32)
    items = size * 4
    y = np.zeros(items, np.uint32)
    n = np.uint32(600)
    found = engines(text_of(parts), n, x, y, items=items, group_size=size, widths=(width,))
    return found.pop()


@pytest.mark.parametrize("parts", SAME)
@pytest.mark.parametrize("width", WIDTHS)
def test_elements_that_decide_alone_are_counted_in_any_order(
    parts: dict[str, object], width: int
) -> None:
    assert reliance_of(simtlab.assemble(text_of(parts))["k"].kernel, (64, 1, 1)) is not None
    assert counted_by(parts, 3, width) == "jit"


@pytest.mark.parametrize("parts", OTHER)
@pytest.mark.parametrize("width", WIDTHS)
def test_other_lists_are_counted_in_the_order_of_the_interpreter(
    parts: dict[str, object], width: int
) -> None:
    assert reliance_of(simtlab.assemble(text_of(parts))["k"].kernel, (64, 1, 1)) is None
    assert counted_by(parts, 3, width) in REFUSED


@pytest.mark.parametrize("direct", [False, True])
def test_a_list_that_runs_into_another_array_is_counted_again(*, direct: bool) -> None:
    text = text_of({"memory": ".group u32 list[100]\n .group u32 count[1]\n .group u32 more[500]"})
    (function,) = simtlab.assemble(text)
    assert reliance_of(function.kernel, (256, 1, 1)) is not None
    few = np.full(640, 4, np.uint32)
    few[::9] = 1
    many = few.copy()
    many[:] = 2 * (np.arange(640) * 7 % 60) + 1
    launches = {
        e: function.launch(items=256, group_size=256, engine=e, stats=True) for e in ENGINES
    }
    for x in (few, few, many, few) if direct else (many,):
        left = []
        for engine, launch in launches.items():
            y = np.zeros(256, np.uint32)
            result = launch(600, x, y)
            left.append((y, result.statistics))
            assert result.engine == engine
        np.testing.assert_array_equal(left[0][0], left[1][0])
        assert_equal(left[0][1], left[1][1])


def check_random(seeds: range) -> dict[str, int]:
    """Compare random lists with the interpreter's counts; return how many each way has counted."""
    found = {"jit": 0, ORDER: 0}
    for seed in seeds:
        draw = random.Random(seed)
        parts: dict[str, object] = {}
        for _ in range(draw.choice((1, 2, 2, 3))):
            parts |= draw.choice(SAME if draw.random() < 0.7 else OTHER)
        if parts.get("append") == PAIRS and draw.random() < 0.9:
            parts |= PAIRED
        parts["mask"] = draw.choice((1, 3, 8, 64))
        width, size = draw.choice(WIDTHS), draw.choice((16, 64))
        by = counted_by(parts, seed, width, size=size)
        found[ORDER if by in REFUSED else "jit"] += 1
    return found


def test_random_lists() -> None:
    assert min(check_random(range(12)).values()) > 2


@pytest.mark.slow
def test_hundreds_of_random_lists() -> None:
    assert min(check_random(range(100, 400)).values()) > 60
