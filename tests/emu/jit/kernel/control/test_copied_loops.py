"""Loops with a copy for each iteration: lanes leave them in iterations that are known."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab import Device, TrapKind
from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.ranges.offset_ranges import Ranges
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.traps import Trap

from ...support.agreement import same

ONE_WARP = Facts(64, (16, 4, 1), whole=True, one_warp=True)
TEXT = """
kernel k(u32 %n, global u32* %x, global u32* %y) {{
    .group u32 tile[256]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemflatid_u32 $s2
    workitemflatabsid_u32 $s3
    cvt_u64_u32 $d0, $s3
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d2, $d0, 4, $d1
    ld_global_u32 $s4, [$d2]
    shl_u32 $s5, $s2, 2
    st_group_u32 $s4, [tile+$s5]
    ld_kernarg_u32 $s12, [%n]
    barrier
    mov_u32 $s6, 0
    mov_u32 $s7, 9
    {before}
@again:
    {begin}
@loop:
    and_u32 $s9, $s8, 63
    shl_u32 $s9, $s9, 2
    ld_group_u32 $s10, [tile+$s9]
    mad_u32 $s6, $s6, 3, $s10
    and_u32 $s11, $s10, 1
    cmp_eq_u32 $c2, $s11, 0
    cbr $c2, @even
    xor_u32 $s6, $s6, $s8
    st_global_u32 $s6, [$d2]
@even:
    {step}
    cbr $c0, @loop
    mov_u32 $s7, $s8
    {after}
@end:
    barrier
    mad_u32 $s6, $s6, 5, $s7
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d2, $d0, 4, $d1
    st_global_u32 $s6, [$d2]
    ret
}}
"""
UP = "add_u32 $s8, $s8, 16\n cmp_lt_u32 $c0, $s8, "
STEPS = {
    # begin, step: (least, most) times back to the header
    ("mov_u32 $s8, $s0", f"{UP} 20"): (0, 1),
    ("mov_u32 $s8, $s0", f"{UP} 41"): (1, 2),
    ("mov_u32 $s8, $s1", "add_u32 $s8, $s8, 4\n cmp_lt_u32 $c0, $s8, 14"): (2, 3),
    ("mov_u32 $s8, $s2", "add_u32 $s8, $s8, 64\n cmp_le_s32 $c0, $s8, 100"): (0, 1),
    ("mad_u32 $s8, $s1, 16, $s0", "sub_s32 $s8, $s8, 40\n cmp_ge_s32 $c0, $s8, 0"): (0, 1),
}
OTHERS = {
    ("mov_u32 $s8, $s0", f"{UP} $s12"): "a bound that is not known",
    ("mov_u32 $s8, $s0", "add_u32 $s8, $s8, 1\n cmp_lt_u32 $c0, $s8, 16"): "iterations far apart",
    ("mov_u32 $s8, $s4", f"{UP} 20"): "a start that was loaded",
    ("add_u32 $s8, $s0, $s7", f"{UP} 30"): "a start that a loop around it changes",
    (
        "mov_u32 $s8, $s0",
        "add_u32 $s8, $s8, $s10\n cmp_lt_u32 $c0, $s8, 16",
    ): "a step that was loaded",
}
BEFORE = {
    "all lanes": ("", ""),
    "some lanes": ("and_u32 $s9, $s4, 3\n cmp_eq_u32 $c1, $s9, 0\n cbr $c1, @end", ""),
    "in a loop": (
        "mov_u32 $s13, 0",
        "add_u32 $s13, $s13, 1\n cmp_lt_u32 $c1, $s13, $s12\n cbr $c1, @again",
    ),
    "in a loop that lanes leave early": (
        "mov_u32 $s13, $s0",
        "add_u32 $s13, $s13, 16\n cmp_lt_u32 $c1, $s13, 25\n cbr $c1, @again",
    ),
    "in a loop with other iterations": (
        "mov_u32 $s13, $s4",
        "shr_u32 $s13, $s13, 1\n cmp_ne_u32 $c1, $s13, 0\n cbr $c1, @again",
    ),
}


def text(way: tuple[str, str], place: str) -> str:
    before, after = BEFORE[place]
    return TEXT.format(begin=way[0], step=way[1], before=before, after=after)


@pytest.mark.parametrize("place", BEFORE)
@pytest.mark.parametrize("way", [*STEPS, *OTHERS])
def test_lanes_compute_what_they_would_alone(way: tuple[str, str], place: str) -> None:
    x = np.random.default_rng(4).integers(1, 1 << 12, 256).astype(np.uint32)
    for group in ((16, 4), (16, 16), (64,)):
        same(text(way, place), [3, x, np.zeros_like(x)], items=group, group_size=group)


def lane_trips(source: str) -> list[tuple[int, int]]:
    kernel = assemble(source).kernels[0]
    found = Ranges(analyse(kernel).shapes(ONE_WARP)).lane_trips
    return [(trips.least, trips.most) for trips in found.values()]


@pytest.mark.parametrize("way", STEPS)
def test_iterations_of_lanes_are_counted(way: tuple[str, str]) -> None:
    assert lane_trips(text(way, "all lanes")) == [STEPS[way]]
    assert lane_trips(text(way, "some lanes")) == [STEPS[way]]


def test_lanes_that_have_left_count_beside_neighbours() -> None:
    """The store in the loop is one of neighbours, which may be made for all lanes."""
    way = ("mov_u32 $s8, $s0", f"{UP} 20")
    kernel = assemble(text(way, "all lanes")).kernels[0]
    (trips,) = Ranges(analyse(kernel).shapes(ONE_WARP)).lane_trips.values()
    assert max(int(trips.numbers(phi).max()) for phi in trips.phis) == 31


@pytest.mark.parametrize("way", OTHERS, ids=OTHERS.values())
def test_other_iterations_are_not(way: tuple[str, str]) -> None:
    assert not lane_trips(text(way, "in a loop with other iterations"))


def test_each_iteration_has_a_copy_with_constant_masks() -> None:
    way = ("mov_u32 $s8, $s0", f"{UP} 20")
    kernel = assemble(text(way, "all lanes")).kernels[0]
    generated = code.generate(kernel, 0, ONE_WARP)
    assert generated.count("llvm.masked.store") >= 2
    assert any(line.startswith("l0i1_n") for line in generated.splitlines())


def trap_of(source: str, n: int) -> tuple[TrapKind, int | None]:
    launch = simtlab.assemble(source)["k"].launch(items=(16, 4), group_size=(16, 4), budget=10_000)
    device = Device()
    x, y = device.zeros(64, np.uint32), device.zeros(64, np.uint32)
    with pytest.raises(Trap) as trap:
        launch(n, x, y)
    return trap.value.record.kind, trap.value.record.local


def test_a_fault_in_the_last_copy_names_its_lane() -> None:
    way = ("mov_u32 $s8, $s0", f"{UP} 20")
    source = text(way, "all lanes").replace("and_u32 $s9, $s8, 63", "add_u32 $s9, $s8, 45")
    source = source.replace("tile[256]", "tile[64]")
    # 45 + 15 is inside, and 45 + 16 + 3 is not.
    assert trap_of(source, 3) == (TrapKind.OUT_OF_BOUNDS, 3)


def test_a_spent_budget_in_copies_is_found() -> None:
    way = ("mov_u32 $s8, $s0", f"{UP} 41")
    assert trap_of(text(way, "in a loop"), 1 << 31)[0] is TrapKind.BUDGET
