"""Statistics of loops that lanes run alone, and in which they leave traces of their branches."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting
from simtlab.emu.traps import Trap

from ....support.counts import both

ITEMS = 200

SHAPES = [(50, 1), (50, 7), (128, 16), (50, 32), (128, 64), (96, 32), (8, 32)]
"""Sizes of workgroups, and widths of warps."""


@pytest.fixture(autouse=True, params=["alone", "measured"])
def _loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", request.param)


def machine(steps: str, cells: int = 8) -> str:
    """A kernel that changes cells of private memory until a counter ends; `steps` is the loop."""
    return f"""
    kernel k(u32 %n, global u32* %seed, global u32* %count, global u32* %out) {{
        .private u32 cells[{cells}]
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%seed]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        ld_kernarg_u64 $d1, [%count]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s3, [$d1]
        mov_u32 $s4, 0
        mov_u32 $s8, 0
    @step:
        mul_u32 $s2, $s2, 1664525
        add_u32 $s2, $s2, 1013904223
        shr_u32 $s5, $s2, 27
        and_u32 $s5, $s5, 28
        ld_private_u32 $s6, [cells+$s5]
        add_u32 $s6, $s6, $s2
        st_private_u32 $s6, [cells+$s5]
        shr_u32 $s7, $s6, 26
        {steps}
    @end:
        ld_private_u32 $s6, [cells]
        add_u32 $s6, $s6, $s8
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s6, [$d1]
    @done:
        ret
    }}"""


NEXT = "add_u32 $s4, $s4, 1\n cmp_lt_u32 $c0, $s4, $s3\n cbr $c0, @step\n"
STEPS = {
    "one way": NEXT,
    "a side": "cmp_lt_u32 $c0, $s7, 20\n cbr $c0, @a\n add_u32 $s8, $s8, 3\n@a:\n" + NEXT,
    "two sides": """
        cmp_lt_u32 $c0, $s7, 20
        cbr $c0, @a
        add_u32 $s8, $s8, 3
        br @b
    @a:
        xor_u32 $s8, $s8, $s7
    @b:
    """
    + NEXT,
    "ways back before the end": """
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c0, $s7, 20
        cbr $c0, @step
        add_u32 $s8, $s8, 1
        cmp_gt_u32 $c0, $s7, 50
        cbr $c0, @step
        add_u32 $s8, $s8, 5
        cmp_lt_u32 $c0, $s4, $s3
        cbr $c0, @step
    """,
    "ways of several lengths": """
        cmp_lt_u32 $c0, $s7, 40
        cbr $c0, @a
        and_u32 $s9, $s7, 3
        cmp_eq_u32 $c0, $s9, 0
        cbr $c0, @b
        add_u32 $s8, $s8, 3
        cmp_eq_u32 $c0, $s9, 1
        cbr $c0, @b
        add_u32 $s8, $s8, $s9
        br @c
    @a:
        xor_u32 $s8, $s8, $s7
    @b:
        cmp_gt_u32 $c0, $s7, 20
        cbr $c0, @c
        add_u32 $s8, $s8, 11
    @c:
        cmp_eq_u32 $c0, $s9, 2
        cbr $c0, @d
        add_u32 $s8, $s8, 1
    @d:
    """
    + NEXT,
    "several exits": "cmp_eq_u32 $c0, $s7, 63\n cbr $c0, @end\n" + NEXT,
    "a loop inside": """
        and_u32 $s9, $s7, 7
    @in:
        cmp_eq_u32 $c0, $s9, 0
        cbr $c0, @after
        sub_u32 $s9, $s9, 1
        and_u32 $s10, $s9, 1
        cmp_eq_u32 $c0, $s10, 0
        cbr $c0, @in
        add_u32 $s8, $s8, $s9
        br @in
    @after:
    """
    + NEXT,
    "a long loop inside": """
        mov_u32 $s9, 0
    @in:
        add_u32 $s9, $s9, 1
        and_u32 $s10, $s9, $s7
        cmp_eq_u32 $c0, $s10, 0
        cbr $c0, @even
        add_u32 $s8, $s8, $s9
    @even:
        cmp_lt_u32 $c0, $s9, $s3
        cbr $c0, @in
        and_u32 $s10, $s8, 7
        cmp_eq_u32 $c0, $s10, 0
        cbr $c0, @end
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c0, $s4, 3
        cbr $c0, @step
    """,
    "a way past the end": "cmp_eq_u32 $c0, $s7, 63\n cbr $c0, @done\n" + NEXT,
}


def given(most: int, seed: int = 3) -> tuple[Any, ...]:
    numbers = np.random.default_rng(seed)
    seeds = numbers.integers(0, 1 << 32, ITEMS, np.uint32)
    counts = numbers.integers(1, most, ITEMS, np.uint32)
    return np.uint32(ITEMS - 3), seeds, counts, np.zeros(ITEMS, np.uint32)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize(("group_size", "width"), SHAPES)
def test_counts(name: str, group_size: int, width: int) -> None:
    (function,) = simtlab.assemble(machine(STEPS[name]))
    launch = function.launch(items=ITEMS, group_size=group_size, warp=width)
    native, *_ = both(launch, given(30))
    assert native.engine == "jit"


def test_lanes_leave_traces(request: pytest.FixtureRequest) -> None:
    (function,) = simtlab.assemble(machine(STEPS["two sides"]))
    launch = function.launch(items=ITEMS, group_size=64)
    code = generate(function.kernel, 0, facts_for_counting(function.kernel, launch.geometry))
    assert "traced" in code
    is_measured = "measured" in request.node.name
    assert ("@together(" in code) == ("@alone(" in code) == is_measured


def test_versions_share_what_counts() -> None:
    """It is as long for both, and the same."""
    (function,) = simtlab.assemble(machine(STEPS["two sides"]))
    launch = function.launch(items=ITEMS, group_size=64)
    code = generate(function.kernel, 0, facts_for_counting(function.kernel, launch.geometry))
    bodies = re.findall(
        r"^define internal void @\w*count\d*(\(.*?^})", code, re.MULTILINE | re.DOTALL
    )
    assert bodies
    assert len(set(bodies)) == len(bodies)


LONG = ["two sides", "ways back before the end", "a loop inside", "a long loop inside"]


@pytest.mark.parametrize("name", LONG)
def test_traces_that_are_longer_than_their_memory(name: str) -> None:
    """Lanes stop, and continue when their branches have been counted."""
    (function,) = simtlab.assemble(machine(STEPS[name]))
    both(function.launch(items=ITEMS, group_size=64, warp=32), given(1500))


def test_a_loop_around() -> None:
    """Lanes run the loop several times, with values of their own in the phis of its header."""
    around = machine(STEPS["two sides"]).replace("mov_u32 $s8, 0", "mov_u32 $s8, 0\n@around:")
    more = "@end:\n add_u32 $s3, $s3, 4\n shr_u32 $s4, $s4, 1\n cmp_lt_u32 $c0, $s3, 40\n"
    (function,) = simtlab.assemble(around.replace("@end:", more + "cbr $c0, @around"))
    both(function.launch(items=ITEMS, group_size=64, warp=32), given(30))


@pytest.mark.parametrize("width", [7, 32])
def test_a_trap_in_the_loop(width: int) -> None:
    """The lane, the place and the message are those of the interpreter."""
    steps = "cmp_eq_u32 $c0, $s7, 61\n cbr $c0, @a\n br @b\n@a:\n st_private_u32 $s8, [cells+$s2]\n"
    (function,) = simtlab.assemble(machine(steps + "@b:\n" + NEXT))
    seen = []
    for engine in ("jit", "interp"):
        launch = function.launch(
            items=ITEMS, group_size=64, warp=width, engine=engine, stats=True, threads=1
        )
        with pytest.raises(Trap) as caught:
            launch(*given(1500))
        record = caught.value.record
        seen.append((record.kind, record.detail, record.pc))
    assert seen[0] == seen[1]


def test_a_budget_that_is_spent_in_the_loop() -> None:
    (function,) = simtlab.assemble(machine(STEPS["a side"]))
    n, seeds, counts, out = given(30)
    counts[77] = 100_000
    for budget, ends in (10_000, False), (10_000_000, True):
        launch = function.launch(items=ITEMS, group_size=64, stats=True, budget=budget)
        if ends:
            launch(n, seeds, counts, out)
            continue
        with pytest.raises(Trap, match="budget"):
            launch(n, seeds, counts, out)


# --- random loops


def random_steps(draw: random.Random) -> str:
    """Return a loop with sides, ways back and exits in any order."""
    lines = ["add_u32 $s4, $s4, 1"]
    for i in range(draw.randint(1, 5)):
        test = f"cmp_{draw.choice(('lt', 'gt', 'eq'))}_u32 $c0, $s7, {draw.randint(16, 48)}"
        work = f"{draw.choice(('add', 'xor', 'mul'))}_u32 $s8, $s8, $s7"
        way = draw.choice(("side", "sides", "side", "back", "out"))
        if way == "side":
            lines += [test, f"cbr $c0, @a{i}", work, f"@a{i}:"]
        elif way == "sides":
            lines += [test, f"cbr $c0, @a{i}", work, f"br @b{i}", f"@a{i}:"]
            lines += ["add_u32 $s7, $s7, 5", f"@b{i}:"]
        elif way == "back":
            # Not for ever: the number of steps is a part of what decides.
            lines += [
                f"add_u32 $s9, $s7, $s4\n and_u32 $s9, $s9, 63\n {test.replace('$s7', '$s9')}"
            ]
            lines += ["cbr $c0, @step"]
        else:
            lines += [test.replace("lt", "eq").replace("gt", "eq"), "cbr $c0, @end"]
    return "\n".join([*lines, "cmp_lt_u32 $c0, $s4, $s3", "cbr $c0, @step", ""])


def check_random(seeds: range) -> int:
    """Compare random loops with the interpreter; return how many were traced."""
    traced = 0
    for seed in seeds:
        draw = random.Random(seed)
        (function,) = simtlab.assemble(machine(random_steps(draw)))
        group_size, width = draw.choice(SHAPES)
        launch = function.launch(items=ITEMS, group_size=group_size, warp=width, budget=50_000)
        arguments = given(draw.choice((5, 20, 60)), seed)
        try:
            both(launch, arguments)
        except Trap:
            continue
        facts = facts_for_counting(function.kernel, launch.geometry)
        traced += not facts.splits and "traced" in generate(function.kernel, 0, facts)
    return traced


def test_random_loops() -> None:
    assert check_random(range(8)) > 2


@pytest.mark.slow
def test_many_random_loops() -> None:
    assert check_random(range(8, 60)) > 20
