"""Fractals, whose lanes leave a loop in turn: warps near squares, with the oracle's results."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.regroup import regrouped
from simtlab.isa.program import Kernel
from simtlab.testing import Case, assert_all_agree, run_case

from ....support.counts import assert_equal
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

HEAD = """
    kernel collatz(u32 %columns, global u32* %bounds, global u32* %steps) {
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        ld_kernarg_u32 $s2, [%columns]
        cmp_ge_u32 $c0, $s0, $s2
        cbr $c0, @done
        ld_kernarg_u64 $d0, [%bounds]
        mad_u32 $s3, $s1, $s2, $s0
        cvt_u64_u32 $d1, $s3
        mul_u32 $s4, $s1, 3
        add_u32 $s4, $s4, $s0
        mov_u32 $s5, 0
    @next:
"""
SHARED = "ld_global_u32 $s6, [$d0]"
OWN = "mad_u64 $d2, $d1, 4, $d0\n ld_global_u32 $s6, [$d2]"
OF_ROW = "cvt_u64_u32 $d2, $s1\n mad_u64 $d2, $d2, 4, $d0\n ld_global_u32 $s6, [$d2]"
END = """
        cmp_ge_u32 $c0, $s5, $s6
        cbr $c0, @store
        cmp_le_u32 $c0, $s4, 1
        cbr $c0, @store
        and_u32 $s7, $s4, 1
        shr_u32 $s8, $s4, 1
        mad_u32 $s9, $s4, 3, $s7
        cmp_ne_u32 $c0, $s7, 0
        select_u32 $s4, $c0, $s9, $s8
        add_u32 $s5, $s5, 1
        br @next
    @store:
        ld_kernarg_u64 $d2, [%steps]
        mad_u64 $d2, $d1, 4, $d2
        st_global_u32 $s5, [$d2]
    @done:
        ret
    }"""


def kernel_of(load: str) -> Kernel:
    (kernel,) = assemble(HEAD + load + END).kernels
    return kernel


def grid(*items: int) -> Geometry:
    return Geometry.of(items=items, group_size=(16, 4))


@pytest.mark.parametrize(
    ("load", "items", "shape"),
    [
        (SHARED, (64, 64), (8, 32, 1)),
        (SHARED, (72, 24), (8, 8, 1)),
        (SHARED, (64, 16, 3), (8, 16, 1)),
        (SHARED, (64, 12), (64, 4, 1)),
        (SHARED, (68, 64), (16, 4, 1)),
        (OWN, (64, 64), (64, 4, 1)),  # which loads are wide in rows only
        (OF_ROW, (64, 64), (64, 4, 1)),  # and are the same in rows only
    ],
)
def test_grids_of_whole_squares_have_them(
    load: str, items: tuple[int, ...], shape: tuple[int, int, int]
) -> None:
    assert regrouped(kernel_of(load), grid(*items)).group_size == shape


def test_they_have_as_many_lanes_as_warps_of_rows() -> None:
    found = kernel_of(SHARED)
    squares, rows = (facts_of(found, regrouped(found, grid(64, n))) for n in (64, 12))
    assert squares.width == rows.width


def test_workgroups_of_less_than_a_warp_have_code() -> None:
    geometry = Geometry.of(items=(64,), group_size=(8,))
    assert facts_of(kernel_of(SHARED), geometry).group_size == (8, 1, 1)


@pytest.mark.parametrize("short", [False, True])
def test_steps_and_traps_are_the_oracles(short: bool) -> None:
    def work() -> Work:
        columns, rows = 29, 24
        steps = np.zeros(columns * rows - (200 if short else 0), np.uint32)
        arguments = [columns, np.array([40], np.uint32), steps]
        return make(HEAD + SHARED + END, arguments, items=(32, rows), group_size=(16, 4))

    assert assert_as_oracle(work(), work()) == short


def test_steps_agree_at_all_widths() -> None:
    arguments = (29, np.array([40], np.uint32), np.zeros(29 * 24, np.uint32))
    case = Case(HEAD + SHARED + END, grid(32, 24), arguments)
    assert_all_agree(case, engines=["jit"], schemes=["stack"], widths=[1, 7, 16, 32, 64])
    counted, given = (run_case(case, e, width=16, stats=True)[0] for e in ("jit", "interp"))
    assert counted is not None
    assert given is not None
    assert_equal(counted.statistics, given.statistics)
