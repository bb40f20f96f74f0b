"""Rows of 48 work-items, or of a few less, without loops: a warp of 48 lanes, as the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import THREE_VECTORS, facts_for_counting, facts_of
from simtlab.emu.jit.launch.regroup import regrouped
from simtlab.testing import Case, assert_all_agree, run_case

from ....support.counts import assert_equal
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

SUMS = """
kernel sums(u32 %width, u32 %height, global f32* %x, global f32* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%width]
    cmp_ge_u32 $c0, $s0, $s2
    cbr $c0, @done
    ld_kernarg_u32 $s3, [%height]
    cmp_ge_u32 $c0, $s1, $s3
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u64 $d1, [%y]
    mad_u32 $s4, $s1, $s2, $s0
    cvt_u64_u32 $d2, $s4
    mad_u64 $d3, $d2, 4, $d0
    mad_u64 $d4, $d2, 4, $d1
    ld_global_f32 $s5, [$d3]
    cmp_eq_u32 $c0, $s0, 0
    cbr $c0, @store
    ld_global_f32 $s6, [$d3-4]
    fma_f32 $s5, $s5, $s6, $s5
    cmp_eq_u32 $c0, $s1, 0
    cbr $c0, @store
    sub_u32 $s7, $s4, $s2
    cvt_u64_u32 $d5, $s7
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s6, [$d5]
    add_f32 $s5, $s5, $s6
@store:
    st_global_f32 $s5, [$d4]
@done:
    ret
}
"""


def arguments(width: int, height: int, short: int = 0) -> list[object]:
    rng = np.random.default_rng(11)
    x = rng.normal(size=width * height - short).astype(np.float32)
    x[::13] = np.nan
    return [width, height, x, np.zeros(width * height, np.float32)]


@pytest.mark.parametrize(
    ("items", "group"),
    [((48, 12), (16, 4)), ((48, 5), (48, 1)), ((40, 8), (8, 8)), ((36, 6), (4, 6))],
)
def test_such_a_row_is_a_warp(items: tuple[int, int], group: tuple[int, int]) -> None:
    (kernel,) = assemble(SUMS).kernels
    launched = Geometry.of(items=items, group_size=group)
    run = regrouped(kernel, launched)
    assert run.group_size[0] == THREE_VECTORS
    assert facts_of(kernel, run).width == THREE_VECTORS
    counted = facts_for_counting(kernel, launched)
    assert counted is None or counted.width != THREE_VECTORS


@pytest.mark.parametrize("short", [0, 1, 60])
@pytest.mark.parametrize("width", [48, 47, 40, 33, 1])
@pytest.mark.parametrize("group", [(16, 4), (48, 3), (8, 8)])
def test_sums_and_traps_are_the_oracles(group: tuple[int, int], width: int, short: int) -> None:
    if short >= width * 10:
        short = 1

    def work() -> Work:
        items = (48, 12) if group != (8, 8) else (48, 16)
        return make(SUMS, arguments(width, 10, short), items=items, group_size=group)

    assert assert_as_oracle(work(), work()) == (short > 0)


@pytest.mark.parametrize("stats", [False, True])
@pytest.mark.parametrize("group", [(16, 4), (48, 2)])
def test_sums_agree_at_all_widths(group: tuple[int, int], stats: bool) -> None:
    shape = Geometry.of(items=(48, 8), group_size=group)
    case = Case(SUMS, shape, tuple(arguments(45, 7)))
    if not stats:
        assert_all_agree(case, engines=["jit"], schemes=["stack"], widths=[1, 7, 16, 32, 64])
        return
    for width in (7, 16, 32, 64):
        counted, given = (run_case(case, e, width=width, stats=True)[0] for e in ("jit", "interp"))
        assert counted is not None
        assert given is not None
        assert_equal(counted.statistics, given.statistics)
