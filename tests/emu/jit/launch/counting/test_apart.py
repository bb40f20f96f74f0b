"""Launches in rows of the grid, counted by another kernel: with what branches depend on only."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.launch.counting.apart import counted_apart
from simtlab.emu.traps import Trap, TrapKind

from ....support.counts import assert_equal
from ....support.oracle_work import make

BODY = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u64 $d1, [%y]
    mad_u32 $s4, $s1, $s2, $s0
    cvt_u64_u32 $d2, $s4
    mad_u64 $d3, $d2, 4, $d0
    mad_u64 $d4, $d2, 4, $d1
    ld_global_u32 $s5, [$d3]
    ld_global_u32 $s6, [$d4]
    or_u32 $s7, $s5, 1
    div_u32 $s6, $s6, $s7
    mul_u32 $s5, $s5, $s6
    max_u32 $s5, $s5, 3
    add_u32 $s5, $s5, $s4
"""


def kernel(guard: str = "", end: str = "", body: str = BODY) -> str:
    """Work-item ($s0, $s1) of a grid $s2 wide and $s3 high."""
    return f"""
    kernel k(u32 %w, u32 %h, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        ld_kernarg_u32 $s2, [%w]
        ld_kernarg_u32 $s3, [%h]
        cmp_ge_u32 $c0, $s0, $s2
        cmp_ge_u32 $c1, $s1, $s3
        or_b1 $c0, $c0, $c1
        cbr $c0, @done
        {guard}
        {body}
        {end}
        st_global_u32 $s5, [$d4]
    @done:
        ret
    }}"""


INNER = """
    cmp_gt_u32 $c0, $s0, 5
    cbr $c0, @outer
    atomic_add_global_u32 $s5, [$d3], $s0
    br @after
@outer:
    atomicnoret_add_global_u32 [$d3], $s1
@after:
"""

LAUNCHES = [
    ((64, 20), (8, 8), (64, 20)),
    ((61, 19), (8, 8), (61, 19)),
    ((64, 24), (16, 2), (40, 11)),
    ((100, 9), (4, 4), (99, 8)),
]


def outcome(text: str, engine: str, launch: tuple, width: int) -> tuple:
    items, group, (w, h) = launch
    (function,) = simtlab.assemble(text)
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 1 << 20, (2, 4096), np.uint32)
    run = function.launch(items=items, group_size=group, warp=width, engine=engine, stats=True)
    results = [run(w, h, x, y) for _ in range(2)]
    return results, x, y


@pytest.mark.parametrize("width", [7, 32])
@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("end", ["", INNER.replace("atomicnoret_add_global_u32", "nop //")])
def test_counts_are_the_interpreters(end: str, launch: tuple, width: int) -> None:
    text = kernel(end=end)
    work = make(text, [0, 0, np.zeros(1, np.uint32), np.zeros(1, np.uint32)], items=launch[0],
                group_size=launch[1], width=width)  # fmt: skip
    assert counted_apart(work.kernel, work.geometry) is not None
    (native, *have), (expected, *want) = (
        outcome(text, engine, launch, width) for engine in ("jit", "interp")
    )
    for a, b in zip(native, expected, strict=True):
        assert a.engine == "jit"
        assert_equal(a.statistics, b.statistics)
    if not end:  # the order of atomics shows
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize(
    "text",
    [
        kernel(end="cmp_gt_u32 $c1, $s5, 9\n cbr $c1, @done"),
        kernel(guard="mov_u32 $s8, 0\n@again:\n add_u32 $s8, $s8, 1\n"
               " cmp_lt_u32 $c1, $s8, 3\n cbr $c1, @again"),
        kernel(body="ld_kernarg_u64 $d4, [%y]\n mov_u32 $s5, 1"),
    ],
    ids=["a branch on memory", "a loop", "little besides the branch"],
)  # fmt: skip
def test_kernels_that_count_themselves(text: str) -> None:
    unused = np.zeros(1, np.uint32)
    work = make(text, [0, 0, unused, unused], items=(64, 16), group_size=(8, 8))
    assert counted_apart(work.kernel, work.geometry) is None


@pytest.mark.parametrize("group_size", [(32, 2), (64, 1)])
def test_warps_within_rows_count_themselves(group_size: tuple[int, int]) -> None:
    unused = np.zeros(1, np.uint32)
    work = make(kernel(), [0, 0, unused, unused], items=(64, 16), group_size=group_size)
    assert counted_apart(work.kernel, work.geometry) is None


def test_traps_are_those_of_the_run() -> None:
    """A divisor from memory, and an access that is outside."""
    (function,) = simtlab.assemble(kernel().replace("or_u32 $s7, $s5, 1", "mov_u32 $s7, $s5"))
    launch = function.launch(items=(64, 16), group_size=(8, 8), engine="jit", stats=True)
    x = np.ones(1024, np.uint32)
    x[70] = 0
    for arrays, kind in (
        ((x, np.ones(1024, np.uint32)), TrapKind.DIVIDE_BY_ZERO),
        ((x | 1, np.ones(1023, np.uint32)), TrapKind.OUT_OF_BOUNDS),
    ):
        with pytest.raises(Trap) as caught:
            launch(64, 16, *arrays)
        assert caught.value.record.kind is kind
    assert launch(64, 16, x | 1, np.ones(1024, np.uint32)).statistics is not None
