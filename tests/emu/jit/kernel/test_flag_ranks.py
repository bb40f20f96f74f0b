"""Scans of flags that are counted as bits of masks: which are, and that results are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.group_memory.forwarded import Rank
from simtlab.emu.analysis.group_memory.forwarded_copies import forwarded_in_copies
from simtlab.emu.analysis.lanes.running import Walk
from simtlab.emu.analysis.ranges.offset_ranges import Ranges
from simtlab.emu.jit.kernel.nodes import COUNTS_BITS
from simtlab.emu.jit.llvm.toolchain import host_has

KERNEL = """
.const GROUP = {group}
kernel k(u32 %limit, u32 %before, global u32* %x, global u32* %y, global u32* %total) {{
    .group u32 sum[(GROUP + 1)]
    workitemid_u32      $s0, 0
    workitemabsid_u32   $s1, 0
    cvt_u64_u32         $d0, $s1
    ld_kernarg_u64      $d1, [%x]
    mad_u64             $d1, $d0, 4, $d1
    ld_global_u32       $s2, [$d1]
    ld_kernarg_u32      $s3, [%limit]
    cmp_lt_u32          $c1, $s2, $s3
    {flag}
    mov_u32             $s14, $s4
    mul_u32             $s5, $s0, 4
    st_group_u32        $s4, [sum+$s5]
    {scan}
    {end}
    workgroupid_u32     $s9, 0
    mad_u32             $s9, $s9, GROUP, $s4
    ld_kernarg_u32      $s10, [%before]
    sub_u32             $s9, $s9, $s10
    {runs}
    cvt_u64_u32         $d0, $s9
    ld_kernarg_u64      $d1, [%y]
    mad_u64             $d1, $d0, 4, $d1
    st_global_u32       $s2, [$d1]
@done:
    ret
}}
"""
FLAG = "cvt_u32_b1 $s4, $c1"
RUNS = "not_b1 $c1, $c1\n cbr $c1, @done"
DOUBLING = """
    barrier
    mov_u32             $s6, {first}
@double:
    mov_u32             $s7, 0
    cmp_lt_u32          $c0, $s0, $s6
    cbr                 $c0, @add
    sub_u32             $s8, $s0, $s6
    mul_u32             $s8, $s8, 4
    ld_group_u32        $s7, [sum+$s8]
@add:
    barrier
    {op}_u32            $s4, $s4, $s7
    st_group_u32        $s4, [sum+$s5]
    barrier
    shl_u32             $s6, $s6, 1
    cmp_lt_u32          $c0, $s6, GROUP
    cbr                 $c0, @double
"""
SCAN = DOUBLING.format(first=1, op="add")
BLELLOCH = """
    add_u32             $s20, $s0, 1
    mov_u32             $s6, 1
@up:
    barrier
    mul_u32             $s21, $s6, 2
    rem_u32             $s22, $s20, $s21
    cmp_ne_u32          $c0, $s22, 0
    cbr                 $c0, @upped
    mul_u32             $s23, $s6, 4
    sub_u32             $s23, $s5, $s23
    ld_group_u32        $s24, [sum+$s23]
    ld_group_u32        $s25, [sum+$s5]
    add_u32             $s25, $s25, $s24
    st_group_u32        $s25, [sum+$s5]
@upped:
    shl_u32             $s6, $s6, 1
    cmp_lt_u32          $c0, $s6, GROUP
    cbr                 $c0, @up
    barrier
    ld_group_u32        $s4, [sum+$s5]
"""
SUM = """
    ld_group_u32        $s11, [sum+((GROUP - 1) * 4)]
    cmp_ne_u32          $c0, $s0, 0
    cbr                 $c0, @counted
    workgroupid_u32     $s12, 0
    cvt_u64_u32         $d2, $s12
    ld_kernarg_u64      $d3, [%total]
    mad_u64             $d3, $d2, 4, $d3
    st_global_u32       $s11, [$d3]
@counted:
"""
EXCLUSIVE = "sub_u32 $s4, $s4, $s14"


def source(
    group: int = 192, *, flag: str = FLAG, scan: str = SCAN, end: str = "", runs: str = RUNS
) -> str:
    return KERNEL.format(group=group, flag=flag, scan=scan, end=end, runs=runs)


def ranks(group: int = 192, **parts: str) -> list[Rank]:
    kernel = simtlab.assemble(source(group, **parts)).program.kernels[0]
    facts = Facts(group, (group, 1, 1), whole=True, one_warp=True)
    analysis = analyse(kernel)
    shapes, runs_with = analysis.shapes(facts), analysis.lane_plan(facts).masks.runs_with
    copied = Walk(shapes, Ranges(shapes).trips, gains=False).copied
    found = forwarded_in_copies(shapes, copied, runs_with, kernel.group_size, 16)
    return list(found.ranks.values())


def kinds(found: list[Rank]) -> set[str]:
    return {"all" if r.of_all else "inclusive" if r.inclusive else "exclusive" for r in found}


@pytest.mark.parametrize("group", [64, 128, 192, 256, 512])
def test_scans(group: int) -> None:
    assert kinds(ranks(group)) == {"inclusive"}
    assert kinds(ranks(group, end=EXCLUSIVE)) == {"inclusive", "exclusive"}
    assert kinds(ranks(group, end=SUM)) == {"inclusive", "all"}


def test_flags() -> None:
    ends = "mov_u32 $s30, 1\n mov_u32 $s31, 0\n"
    assert kinds(ranks(flag=ends + "select_u32 $s4, $c1, $s30, $s31")) == {"inclusive"}
    assert not ranks(flag=ends + "select_u32 $s4, $c1, $s31, $s30")
    assert not ranks(flag="mov_u32 $s4, $s2")
    assert not ranks(flag="and_u32 $s4, $s2, 1")


@pytest.mark.parametrize(
    "scan",
    [
        DOUBLING.format(first=1, op="max"),
        DOUBLING.format(first=2, op="add"),
        SCAN.replace("mov_u32             $s7, 0", "mov_u32 $s7, 1"),
        SCAN.replace("cmp_lt_u32          $c0, $s0, $s6\n", "cmp_lt_u32 $c0, $s2, $s6\n"),
        SCAN.replace("st_group_u32        $s4, [sum+$s5]", "st_group_u32 $s4, [sum+$s5+4]"),
        BLELLOCH,
        "",
    ],
)
def test_other_sums(scan: str) -> None:
    assert "inclusive" not in kinds(ranks(256, scan=scan))


def test_stores_that_data_decide() -> None:
    changed = """
    barrier
    cmp_lt_u32          $c0, $s2, 1000
    cbr                 $c0, @kept
    st_group_u32        $s2, [sum+$s5]
@kept:
    barrier
    ld_group_u32        $s4, [sum+$s5]
    """
    assert kinds(ranks(end=changed)) <= {"inclusive"}
    assert not ranks(scan=changed + SCAN)


SIDES = """
    cmp_lt_{test}
    cbr                 $c2, @other
    mov_u32             $s40, {first}
    br                  @chosen
@other:
    sub_u32             $s40, $s4, $s14
@chosen:
    mov_u32             $s4, $s40
"""


@pytest.mark.parametrize(
    ("test", "first", "wanted"),
    [
        ("u32 $c2, $s2, 0x40000000", "$s4", {"inclusive", "exclusive"}),
        ("u32 $c2, $s0, 100", "$s4", {"inclusive", "exclusive"}),
        ("u32 $c2, $s0, 0", "$s4", {"inclusive"}),
        ("u32 $c2, $s2, 0x40000000", "0", {"inclusive", "exclusive"}),
    ],
)
def test_sums_that_data_choose(test: str, first: str, wanted: set[str]) -> None:
    end = SIDES.format(test=test, first=first)
    assert kinds(ranks(end=end)) == wanted
    text = source(end=end, runs="mov_u32 $s9, $s0")
    text = text.replace("st_global_u32       $s2", "st_global_u32 $s4")
    x = np.random.default_rng(3).integers(0, 1 << 32, 192, np.uint32)
    found, expected = (run(text, x, 1 << 31, 0, engine, 192) for engine in ("jit", "interp"))
    np.testing.assert_array_equal(found, expected)


def run(
    text: str, x: np.ndarray, limit: int, before: int, engine: str, group: int, **options: Any
) -> np.ndarray | str:
    """Return what a launch has stored, or its trap."""
    device = Device()
    given, y, total = (
        device.to_device(a) for a in (x, np.zeros(len(x), np.uint32), np.zeros(64, np.uint32))
    )
    made = simtlab.assemble(text)["k"].launch(
        items=len(x), group_size=group, engine=engine, **options
    )
    try:
        made(np.uint32(limit), np.uint32(before), given, y, total)
    except Trap as trap:
        return str(trap)
    return np.concatenate([y.to_host(), total.to_host()])


@pytest.mark.parametrize("group", [16, 64, 96, 128, 192, 256, 512])
@pytest.mark.parametrize("limit", [0, 1, 1 << 29, 1 << 31, (1 << 32) - 1])
@pytest.mark.parametrize("warp", [1, 7, 64])
def test_results(group: int, limit: int, warp: int) -> None:
    x = np.random.default_rng(3).integers(0, 1 << 32, group * 5, np.uint32)
    for end, before in (("", 1), (EXCLUSIVE, 0), (SUM, 1), (SUM + EXCLUSIVE, 0)):
        text = source(group, end=end)
        found, wanted = (
            run(text, x, limit, before, engine, group, warp=warp) for engine in ("jit", "interp")
        )
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "runs",
    [
        "",
        "cmp_ge_u32 $c0, $s0, 100\n cbr $c0, @done",
        "cbr $c1, @done",
        "not_b1 $c1, $c1\n cmp_lt_u32 $c0, $s0, 3\n or_b1 $c1, $c1, $c0\n cbr $c1, @done",
    ],
)
def test_lanes_that_are_not_counted(runs: str) -> None:
    """Of several lanes that store to one place, any may be the last: numbers are equal."""
    x = np.random.default_rng(3).integers(0, 2, 192 * 5, np.uint32)
    text = source(runs=runs).replace("cmp_lt_u32          $c1, $s2", "cmp_ne_u32 $c1, $s2")
    text = text.replace("st_global_u32       $s2", "st_global_u32 $s9")
    found, wanted = (run(text, x, 1, 0, engine, 192) for engine in ("jit", "interp"))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("before", [2, 192 * 3, 1 << 31])
def test_places_outside(before: int) -> None:
    x = np.random.default_rng(3).integers(0, 1 << 32, 192, np.uint32)
    found, wanted = (str(run(source(), x, 1 << 31, before, e, 192)) for e in ("jit", "interp"))
    assert found == wanted
    assert "out-of-bounds store" in found


@pytest.mark.skipif(not host_has(COUNTS_BITS), reason="scans take as long")
def test_bits_are_counted() -> None:
    made = simtlab.assemble(source())["k"].launch(items=192 * 4, group_size=192)
    assert "llvm.ctpop" in made.generated("llvm")
    assert "vpermt2d" not in made.generated("asm")
