"""Branches on what atomics return: whether there is a slot left for each work-item."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of

from ....support.counts import ORDER, WIDTHS, assert_equal, counted_by

TEXT = """
kernel k(u32 %n, u32 %most, global u32* %x, global u32* %count, global u32* %cells,
    global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        ld_kernarg_u32 $s2, [%most]
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u64 $d1, [%count]
        ld_kernarg_u64 $d2, [%cells]
        ld_kernarg_u64 $d3, [%y]
        cvt_u64_u32 $d4, $s0
        mad_u64 $d5, $d4, 4, $d0
        ld_global_u32 $s3, [$d5]
        mov_u32 $s4, 0
    @again:
        and_u32 $s5, $s3, {cells}
        cvt_u64_u32 $d6, $s5
        mad_u64 $d6, $d6, 4, $d1
        {add}
        {test}
        mad_u32 $s8, $s5, 32, $s7
        cvt_u64_u32 $d6, $s8
        mad_u64 $d6, $d6, 4, $d2
        st_global_u32 $s0, [$d6]
        {stored}
    @full:
        {after}
        add_u32 $s4, $s4, 1
        shr_u32 $s3, $s3, 3
        cmp_lt_u32 $c0, $s4, {times}
        cbr $c0, @again
        mad_u64 $d5, $d4, 4, $d3
        st_global_u32 $s4, [$d5]
    @done:
        ret
}}"""

DEFAULTS = {
    "cells": 15,
    "add": "mov_u32 $s6, 1\n atomic_add_global_u32 $s7, [$d6], $s6",
    "test": "cmp_ge_u32 $c0, $s7, $s2\n cbr $c0, @full",
    "stored": "",
    "after": "and_u32 $s9, $s3, $s4\n cmp_eq_u32 $c0, $s9, 1\n cbr $c0, @odd\n nop\n@odd:",
    "times": 1,
}

SAME: list[dict[str, object]] = [
    {},
    {"times": 3},
    {"test": "add_u32 $s9, $s7, 1\n cmp_gt_u32 $c0, $s9, 32\n cbr $c0, @full"},
    {"test": "cmp_lt_u32 $c0, $s7, $s2\n cbr $c0, @fits\n br @full\n@fits:"},
    {"test": "cmp_le_u32 $c0, $s2, $s7\n cbr $c0, @full", "times": 2},
    {"stored": "cmp_lt_u32 $c0, $s3, 90\n cbr $c0, @full\n nop"},
    {
        "add": DEFAULTS["add"].replace("$s6, 1", "$s6, 2"),
        "test": "cmp_ge_u32 $c0, $s7, 60\n cbr $c0, @full",
    },
]
"""What all work-items see alike if there are enough slots."""

OTHER: list[dict[str, object]] = [
    {"add": DEFAULTS["add"].replace("$s6, 1", "$s6, $s5")},
    {"test": "add_u32 $s9, $s7, $s0\n cmp_ge_u32 $c0, $s9, 900\n cbr $c0, @full"},
    {"test": "cmp_ge_u32 $c0, $s7, $s3\n cbr $c0, @full"},
    {"test": "cmp_eq_u32 $c0, $s7, 31\n cbr $c0, @full"},
    {"stored": "and_u32 $s9, $s7, 3\n cmp_eq_u32 $c0, $s9, 1\n cbr $c0, @full\n nop"},
    {"after": "st_global_u32 $s4, [$d6]\n and_u32 $s9, $s7, 1\n xor_u32 $s3, $s3, $s9", "times": 2},
    {"after": "atomic_add_global_u32 [$d1+8], $s4"},
    {"test": "cbr $c1, @full\n cmp_ge_u32 $c0, $s7, $s2\n cbr $c0, @full"},
    {"after": "mov_u32 $s3, $s7", "times": 2},
]
"""What may show in which order work-items take slots."""


def text_of(parts: dict[str, object]) -> str:
    """Return a kernel with some parts of its own."""
    return TEXT.format(**{**DEFAULTS, **parts})


def counted(
    parts: dict[str, object], numbers: Sequence[np.ndarray], width: int, *, items: int = 200
) -> list[str]:
    """Compare counts, and how many are in each cell, with the interpreter's.

    One prepared launch is called with each array of numbers; returns what has counted each.
    """
    (function,) = simtlab.assemble(text_of(parts))
    found = list[str]()
    launches = {
        engine: function.launch(items=items, group_size=64, warp=width, engine=engine, stats=True)
        for engine in ("jit", "interp")
    }
    for x in numbers:
        results = []
        for engine, launch in launches.items():
            counts, cells, y = (np.zeros(n, np.uint32) for n in (64, 4096, items))
            args = np.uint32(items - 3), np.uint32(32), x, counts, cells, y
            result, by = counted_by(launch, *args)
            results.append((result.statistics, counts, y))
            found += [by] if engine == "jit" else []
        assert_equal(results[0][0], results[1][0])
        for have, want in zip(results[0][1:], results[1][1:], strict=True):
            np.testing.assert_array_equal(have, want)
    return found


EVEN = np.random.default_rng(2).integers(0, 1 << 11, 200, np.uint32)
"""Numbers of which no cell gets more than it has room for."""

ONE_CELL = np.where(np.arange(200) < 50, 5, EVEN).astype(np.uint32)
"""Numbers of which one gets more."""


@pytest.mark.parametrize("parts", SAME)
@pytest.mark.parametrize("width", WIDTHS)
def test_slots_for_all_are_taken_in_any_order(parts: dict[str, object], width: int) -> None:
    assert reliance_of(simtlab.assemble(text_of(parts))["k"].kernel, (64, 1, 1)) is not None
    assert counted({**parts, "cells": 31}, [EVEN] * 3, width) == ["jit"] * 3


@pytest.mark.parametrize("parts", SAME)
@pytest.mark.parametrize("width", WIDTHS)
def test_where_slots_do_not_suffice_order_decides(parts: dict[str, object], width: int) -> None:
    assert counted(parts, [ONE_CELL] * 2, width) == [ORDER] * 2


@pytest.mark.parametrize("parts", OTHER)
@pytest.mark.parametrize("width", WIDTHS)
def test_other_results_decide_in_the_order_of_the_interpreter(
    parts: dict[str, object], width: int
) -> None:
    assert reliance_of(simtlab.assemble(text_of(parts))["k"].kernel, (64, 1, 1)) is None
    assert counted(parts, [EVEN], width) == [ORDER]


def test_launches_that_suffice_and_do_not_in_turns() -> None:
    numbers = [EVEN, EVEN, EVEN, ONE_CELL, EVEN, ONE_CELL, EVEN, EVEN]
    by = [ORDER if x is ONE_CELL else "jit" for x in numbers]
    assert counted({"cells": 31}, numbers, 32) == by


def check_random(seeds: range) -> dict[str, int]:
    """Compare random kernels with the interpreter's counts; return how many each way counted."""
    found = {"jit": 0, ORDER: 0}
    for seed in seeds:
        draw = random.Random(seed)
        parts: dict[str, object] = {}
        for _ in range(draw.choice((1, 1, 2, 3))):
            parts |= draw.choice(SAME if draw.random() < 0.8 else OTHER)
        parts["cells"] = draw.choice((3, 15, 31, 63))
        x = np.random.default_rng(seed).integers(0, draw.choice((64, 4096)), 200, np.uint32)
        by = counted(parts, [x] * 2, draw.choice(WIDTHS), items=draw.choice((64, 130, 200)))
        found[ORDER if ORDER in by else "jit"] += 1
    return found


def test_random_kernels() -> None:
    assert min(check_random(range(12)).values()) > 2


@pytest.mark.slow
def test_hundreds_of_random_kernels() -> None:
    assert min(check_random(range(100, 400)).values()) > 60
