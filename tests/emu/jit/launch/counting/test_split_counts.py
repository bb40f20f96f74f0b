"""Kernels that no layout suits are counted by their warp-splits, as the stack runs them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting, facts_of

from ....support.counts import assert_equal, counted_by
from ....support.guarded import LOAD_X, guarded, store_y

# Both sides of branches begin the next iteration, and both may leave the loop.
TWO_WAYS = guarded(f"""
{LOAD_X}
    mov_u32 $s3, 0
    mov_u32 $s4, 0
@step:
    add_u32 $s4, $s4, 1
    cmp_gt_u32 $c0, $s4, 40
    cbr $c0, @store
    mul_u32 $s2, $s2, 1664525
    add_u32 $s2, $s2, 1013904223
    shr_u32 $s5, $s2, 24
    cmp_lt_u32 $c0, $s5, 128
    cbr $c0, @low
    and_u32 $s6, $s5, 3
    cmp_eq_u32 $c0, $s6, 0
    cbr $c0, @skip
    add_u32 $s3, $s3, $s6
@skip:
    cmp_ge_u32 $c0, $s5, 252
    cbr $c0, @store
    br @step
@low:
    cmp_ge_u32 $c0, $s5, 3
    cbr $c0, @step
    add_u32 $s3, $s3, 1000
    cmp_eq_u32 $c0, $s5, 0
    cbr $c0, @done
@store:
{store_y("$s3")}
""")

INNER = """
    shr_u32 $s7, $s2, 30
    mov_u32 $s8, $s0
@inner:
    cmp_eq_u32 $c0, $s7, 0
    cbr $c0, @inner_done
    sub_u32 $s7, $s7, 1
    rem_u32 $s8, $s8, 61
    cvt_u64_u32 $d2, $s8
    ld_kernarg_u64 $d3, [%x]
    mad_u64 $d2, $d2, 4, $d3
    ld_global_u32 $s8, [$d2]
    and_u32 $s8, $s8, 63
    br @inner
@inner_done:
    add_u32 $s3, $s3, $s8
"""


def check(
    text: str, width: int, *, items: int = 150, group: int = 75, launches: int = 1
) -> set[str]:
    """Compare native counts and memory with the interpreter's; return who counted."""
    (kernel,) = simtlab.assemble(text)
    x = np.random.default_rng(5).integers(0, 1 << 32, items, np.uint32)
    found: list[Any] = []
    for engine in ("jit", "interp"):
        launch = kernel.launch(
            items=items, group_size=group, warp=width, engine=engine, stats=True, threads=1
        )
        y = np.zeros(items, np.uint32)
        results = [counted_by(launch, items - 7, x, y) for _ in range(launches)]
        found.append((results, y))
    (native, have), (expected, want) = found
    np.testing.assert_array_equal(have, want)
    for (a, _), (b, _) in zip(native, expected, strict=True):
        assert_equal(a.statistics, b.statistics)
    return {by for _, by in native}


@pytest.mark.parametrize("width", [7, 15, 24, 32, 64])
def test_counts_are_those_of_the_stack(width: int) -> None:
    assert check(TWO_WAYS, width, launches=2) == {"jit"}


@pytest.mark.parametrize("width", [7, 15, 23, 24, 48])
def test_depths_are_a_power_of_two_in_number(width: int) -> None:
    """Without AVX-512, LLVM has wrong bytes for masks of 24 bits, and stops at those of 15."""
    (kernel,) = simtlab.assemble(TWO_WAYS)
    launch = kernel.launch(items=150, group_size=75, warp=width)
    facts = facts_for_counting(kernel.kernel, launch.geometry)
    assert facts.splits
    rows = set(re.findall(r"<(\d+) x i8>", generate(kernel.kernel, 0, facts)))
    assert rows == {str(max(8, 1 << (width - 1).bit_length()))}


def test_native_warps_may_be_two_of_the_launch() -> None:
    (kernel,) = simtlab.assemble(TWO_WAYS)
    launch = kernel.launch(items=256, group_size=128, warp=16)
    facts = facts_for_counting(kernel.kernel, launch.geometry)
    assert facts.splits
    assert facts.width > facts.counts == 16
    assert check(TWO_WAYS, 16, items=256, group=128) == {"jit"}


def test_warps_are_as_wide_as_those_of_code_that_does_not_count() -> None:
    """The loop's loads are scattered: lanes run it alone, which code with warp-splits does not."""
    text = TWO_WAYS.replace("@step:\n    add_u32 $s4", f"@step:\n{INNER}\n    add_u32 $s4")
    (kernel,) = simtlab.assemble(text)
    launch = kernel.launch(items=256, group_size=128, warp=32)
    plain, facts = (of(kernel.kernel, launch.geometry) for of in (facts_of, facts_for_counting))
    assert analyse(kernel.kernel).lane_plan(plain).sparse
    assert facts.splits
    assert facts.width == plain.width == 64
    assert check(text, 32, items=256, group=128, launches=2) == {"jit"}


@pytest.mark.parametrize("width", [16, 32])
def test_branches_that_divide_part_of_what_runs(width: int) -> None:
    """Some lanes of a run are alone in their warp-splits, others are not; one join for several."""
    steps = "".join(
        f"""
    shr_u32 $s5, $s2, {bit}
    and_u32 $s5, $s5, 1
    cmp_eq_u32 $c0, $s5, 0
    cbr $c0, @skip{bit}
    add_u32 $s3, $s3, {bit}
    and_u32 $s5, $s0, {bit}
    cmp_eq_u32 $c0, $s5, 0
    cbr $c0, @join
@skip{bit}:
"""
        for bit in (1, 3, 7, 12)
    )
    text = TWO_WAYS.replace("@step:\n", f"@step:\n{steps}\n@join:\n")
    assert check(text, width, items=192, group=64, launches=2) == {"jit"}


def test_an_inner_loop_has_a_join_node_in_each_iteration() -> None:
    text = TWO_WAYS.replace("@step:\n    add_u32 $s4", f"@step:\n{INNER}\n    add_u32 $s4")
    assert check(text, 32, items=90, group=45) == {"jit"}


def test_lanes_meet_again_and_part_again() -> None:
    """The re-convergence node is in a loop around the one that has no layout."""
    text = TWO_WAYS.replace("    cmp_eq_u32 $c0, $s5, 0\n    cbr $c0, @done\n", "")
    again = "add_u32 $s9, $s9, 1\n cmp_lt_u32 $c0, $s9, 4\n cbr $c0, @again\n"
    text = text.replace("@store:\n", f"@store:\n {again}")
    text = text.replace("@step:\n", "@again:\n mov_u32 $s4, 0\n@step:\n")
    assert check(text, 32, items=90, group=45) == {"jit"}
