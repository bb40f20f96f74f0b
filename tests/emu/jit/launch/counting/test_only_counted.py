"""Loops that do nothing but count their iterations: code that counts does not run them."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.lanes.only_counted import counter_alone
from simtlab.emu.traps import Trap, TrapKind

from ....support.counts import WIDTHS, engines


def kernel(loop: str, after: str = "") -> str:
    """A work-item's loop begins with $s2, its bound is $s3; what is left of it is in $s4."""
    return f"""
    kernel k(global u32* %x, global u32* %y, global u32* %z) {{
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s3, [$d1]
        mov_u32 $s4, 7
        mov_u64 $d2, 1
        {loop}
        {after}
        cvt_u32_u64 $s5, $d2
        xor_u32 $s4, $s4, $s5
        ld_kernarg_u64 $d1, [%z]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s4, [$d1]
        ret
    }}"""


def before_each(compare: str, step: str, body: str = "") -> str:
    return f"""
    @loop:
        {compare} $c0, $s2, $s3
        cbr $c0, @end
        {body}
        {step}
        br @loop
    @end:
        {AFTER}
    """


AFTER = "add_u32 $s4, $s4, $s2"

LAST = """
    @loop:
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, $s3
        cbr $c0, @loop
"""

INSIDE = """
    mov_u32 $s6, 0
@inside:
    add_u32 $s6, $s6, 1
    cmp_lt_u32 $c1, $s6, 5
    cbr $c1, @inside
"""

LOOPS = {
    "up": before_each("cmp_ge_u32", "add_u32 $s2, $s2, 1"),
    "up by 3": before_each("cmp_gt_u32", "add_u32 $s2, $s2, 3"),
    "down": before_each("cmp_le_s32", "sub_s32 $s2, $s2, 2"),
    "two phis": before_each("cmp_ge_u32", "add_u32 $s2, $s2, 1", "add_u64 $d2, $d2, 5"),
    "until equal": before_each("cmp_eq_u32", "add_u32 $s2, $s2, 1"),
    "a loop inside": before_each("cmp_ge_u32", "add_u32 $s2, $s2, 1", INSIDE),
    "tested last": LAST,
}

SMALL = np.random.default_rng(3).integers(0, 200, (2, 300), np.uint32)


def loops_of(text: str) -> list[bool]:
    """Whether each loop of a kernel is such a loop."""
    ssa = analyse(simtlab.assemble(text)["k"].kernel).ssa
    return [counter_alone(ssa, loop) is not None for loop in ssa.flow.loops]


@pytest.mark.parametrize("name", LOOPS)
def test_counts_and_results(name: str) -> None:
    text, (x, y) = kernel(LOOPS[name]), SMALL.copy()
    if name == "until equal":
        y = x + y
    assert any(loops_of(text))
    z = np.zeros(300, np.uint32)
    assert engines(text, x, y, z, items=300, widths=(7, 32)) == {"jit"}


def test_a_loop_that_is_tested_last_and_that_all_repeat() -> None:
    """Where the test fails at once, lanes run the loop: here it does in none."""
    x, y = SMALL
    z = np.zeros(300, np.uint32)
    text = kernel(LOOPS["tested last"])
    assert engines(text, x, x + 2 + y, z, items=300, widths=(7, 32)) == {"jit"}


@pytest.mark.parametrize("width", WIDTHS)
def test_whole_warps(width: int) -> None:
    text, (x, y) = kernel(LOOPS["two phis"]), SMALL[:, :256]
    z = np.zeros(256, np.uint32)
    assert engines(text, x, y, z, items=256, group_size=64, widths=(width,)) == {"jit"}


def test_few_lanes_enter() -> None:
    x, y = SMALL.copy()
    y[np.arange(300) % 11 != 4] = 0
    guarded = f"cmp_eq_u32 $c0, $s3, 0\n cbr $c0, @past\n{LOOPS['two phis']}\n@past:\n"
    z = np.zeros(300, np.uint32)
    assert engines(kernel(guarded), x, y, z, items=300, widths=(32,)) == {"jit"}


@pytest.mark.parametrize(
    ("compare", "step", "first", "end", "by"),
    [
        ("cmp_gt_u32", "add_u32 $s2, $s2, 3", 0xFFFF_FFFE, 0xFFFF_FFFD, -3),
        ("cmp_lt_s32", "sub_s32 $s2, $s2, 5", 0x8000_0001, 0x8000_0003, 5),
    ],
)
def test_a_counter_near_the_end_of_its_numbers(
    compare: str, step: str, first: int, end: int, by: int
) -> None:
    """Where it might pass the bound by a wrap, lanes run the loop."""
    x = (first + by * (1 + np.arange(64) % 7)).astype(np.uint32)
    y, z = np.full(64, end, np.uint32), np.zeros(64, np.uint32)
    text = kernel(before_each(compare, step))
    assert loops_of(text) == [True]
    assert engines(text, x, y, z, items=64, group_size=64) == {"jit"}


def test_the_budget_ends_such_a_loop() -> None:
    (function,) = simtlab.assemble(kernel(LOOPS["up"]))
    launch = function.launch(items=64, group_size=64, engine="jit", stats=True, budget=1000)
    x, z = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    assert launch(x, np.full(64, 30, np.uint32), z).statistics is not None
    with pytest.raises(Trap) as caught:
        launch(x, np.full(64, 1 << 30, np.uint32), z)
    assert caught.value.record.kind is TrapKind.BUDGET


@pytest.mark.parametrize(
    "body",
    [
        "ld_global_u32 $s6, [$d1]",
        "div_u32 $s6, $s3, $s2",
        "cmp_eq_u32 $c1, $s2, 9\n cbr $c1, @end",
        "cmp_eq_u32 $c1, $s2, 9\n cbr $c1, @same\n nop\n@same:",
        "mul_u32 $s4, $s4, 3",
    ],
    ids=["a load", "a division", "two ways out", "two ways through", "a result"],
)
def test_loops_that_do_more(body: str) -> None:
    text, (x, y) = kernel(before_each("cmp_ge_u32", "add_u32 $s2, $s2, 1", body)), SMALL.copy()
    assert loops_of(text) == [False]
    z = np.zeros(300, np.uint32)
    assert engines(text, x + 1, y, z, items=300, widths=(32,)) == {"jit"}
